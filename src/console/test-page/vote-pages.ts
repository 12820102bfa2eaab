import { Hono } from 'hono';
import { SERVICE_NAME_MAX } from '../../core/service-name.ts';
import { likelyPlayer } from '../../operator/trace/near-names.ts';
import { traceVote, type VoteTrace } from '../../operator/trace/vote-trace.ts';
import { type SentVote, sendTestVote, storedVote } from '../../operator/trial/send-test-vote.ts';
import { isEveryAddress } from '../../platform/listen.ts';
import { line, oneOf, readFields } from '../../web/fields.ts';
import { localPath } from '../../web/local-path.ts';
import { refuse } from '../../web/refusal.ts';
import { seeOther, showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { offeredVersions, testPage } from './page.ts';
import { sentVotePage } from './sent-vote.ts';

/** Far longer than a name can be, so that the listener says what it thinks of long ones. */
const PLAYER_MAX = 64;
const KEPT_MAX = 100;

/** Sends a vote to the listener, and shows what becomes of it. */
export function votePages(parts: ConsoleParts): Hono<ConsoleEnv> {
  const { teller, clock, log, command } = parts;
  /** By number, until Teller stops: results of tests are not part of the ledger. */
  const kept = new Map<number, SentVote>();
  let last = 0;
  const pages = new Hono<ConsoleEnv>();
  pages.post(paths.testVote, async (c) => {
    const { entered, visit } = c.var;
    const { config, listener } = teller;
    const read = readFields(entered, {
      player: line({ label: 'Player', most: PLAYER_MAX }),
      service: line({ label: 'Service name', most: SERVICE_NAME_MAX }),
      version: oneOf('Protocol', offeredVersions(config)),
    });
    if (read.kind === 'faults')
      return showPage(c, testPage(parts, visit.csrf, { vote: { entered, faults: read.faults } }), 422);
    const ending = await sendTestVote(read.values, reachable(listener), config, clock);
    if (ending.kind === 'refused') {
      const field = read.values.version === 'v1' ? 'version' : 'service';
      const vote = { entered, faults: { [field]: ending.sentence } };
      return showPage(c, testPage(parts, visit.csrf, { vote }), 422);
    }
    const { result } = ending.vote;
    log.info(
      { code: 'test-vote', by: visit.person?.id, ...read.values, result: result.code },
      'a test vote was sent from the console',
    );
    last += 1;
    kept.set(last, ending.vote);
    kept.delete(last - KEPT_MAX);
    const path = paths.sentVote(last);
    const text = result.kind === 'failed' ? 'The vote was not accepted.' : 'The vote was sent.';
    return result.kind === 'failed'
      ? seeOther(c, path, { tone: 'bad', text })
      : seeOther(c, localPath(entered.next?.[0], path), { tone: 'good', text });
  });
  pages.get(`${paths.testVote}/:number`, async (c) => {
    const sent = kept.get(Number(c.req.param('number')));
    if (sent === undefined) return refuse(c, c.var.site, 'not-found');
    const { ledger, config } = teller;
    const [trace, queues, pauses] = [
      await traceOfSent(sent, parts),
      await ledger.queues(),
      await ledger.pauses(),
    ];
    const shown = { config, queues, pauses, bytes: false, now: clock.now() };
    return showPage(c, sentVotePage({ sent, trace, shown, command }));
  });
  return pages;
}

/** A listener on every address is reached on loopback. */
const reachable = ({ host, port }: ConsoleParts['teller']['listener']) => ({
  host: isEveryAddress(host) ? '127.0.0.1' : host,
  port,
});

async function traceOfSent(sent: SentVote, { teller }: ConsoleParts): Promise<VoteTrace | null> {
  const { ledger, config } = teller;
  const vote = await storedVote(sent, ledger);
  if (vote === null) return null;
  return traceVote(
    ledger,
    vote,
    await likelyPlayer(ledger, vote.player ?? vote.recipient, config.players.bedrockPrefixes),
  );
}
