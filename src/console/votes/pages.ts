import { Hono } from 'hono';
import { likelyPlayer } from '../../operator/trace/near-names.ts';
import { traceVote } from '../../operator/trace/vote-trace.ts';
import { voteList } from '../../operator/vote-list.ts';
import { refuse } from '../../web/refusal.ts';
import { showPage } from '../../web/show.ts';
import type { ConsoleEnv, ConsoleParts } from '../parts.ts';
import { paths } from '../paths.ts';
import { askedFilter, filterForm, filterOf } from './filter.ts';
import { listPage } from './list.ts';
import { votePage } from './vote.ts';

/** Every vote, and one vote from its bytes to its rewards. */
export function votesPages({ teller, clock, command }: ConsoleParts): Hono<ConsoleEnv> {
  const pages = new Hono<ConsoleEnv>();
  pages.get(paths.votes, async (c) => {
    const { ledger, config } = teller;
    const asked = askedFilter((name) => c.req.query(name));
    const before = wholeNumber(c.req.query('before'));
    const list = await voteList(ledger, filterOf(asked, before, await ledger.timeZone()));
    const form = filterForm(asked, config);
    return showPage(c, listPage({ list, asked, isOlder: before !== null, form, now: clock.now() }));
  });
  pages.get('/votes/:id', async (c) => {
    const { ledger, config } = teller;
    const id = wholeNumber(c.req.param('id'));
    const [vote] = id === null ? [] : await ledger.votes({ id, limit: 1 });
    if (vote === undefined) return refuse(c, c.var.site, 'not-found');
    const likely = await likelyPlayer(ledger, vote.player ?? vote.recipient, config.players.bedrockPrefixes);
    const trace = await traceVote(ledger, vote, likely);
    const [queues, pauses] = [await ledger.queues(), await ledger.pauses()];
    const shown = { config, queues, pauses, bytes: true, now: clock.now() };
    return showPage(c, votePage(trace, shown, command));
  });
  return pages;
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null;
