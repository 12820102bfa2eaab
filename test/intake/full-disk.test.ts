import { expect, onTestFinished, test } from 'vitest';
import { refusals as refusalTable } from '../../protocol/votifier/refusals.ts';
import { Secret } from '../../src/config/config.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { ALL_WON } from '../../src/rewards/draws.ts';
import { Intake } from '../../src/votes/intake/intake.ts';
import { VoteLog } from '../../src/votes/intake/vote-log.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { DAILY, freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { listening } from '../support/listening.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { siteConfig } from '../support/site-config.ts';
import { freshThreadedLedger } from '../support/threaded-ledger.ts';
import { arrival } from '../support/votes.ts';
import { TOKEN, VotifierClient, voteBlock } from '../support/votifier-client.ts';

const OK = '{"status":"ok"}\r\n';
const { cause, message } = refusalTable['ledger-unable'].hears;
const UNABLE = `${JSON.stringify({ status: 'error', cause, error: message })}\r\n`;

/** The listener with the real intake and a real ledger whose file cannot grow beyond `pages`. */
async function listenerWithLimit(pages: number) {
  const { ledger, database } = freshLedger();
  const limitTo = (most: number): unknown => database.pragma(`max_page_count = ${most}`);
  limitTo(pages);
  const kept = loggedLines();
  const clock = new FakeClock();
  const lost: string[] = [];
  const voteLog = new VoteLog(kept.log, systemClock, false);
  const intake = new Intake({
    sites: new Map([['default', siteConfig({ token: new Secret(TOKEN) })]]),
    bedrockPrefixes: [],
    draw: () => ALL_WON,
    rules: rulesFor(DAILY),
    ledger,
    clock,
    log: kept.log,
    onRecorded: { log: (vote, recorded) => voteLog.recorded(vote, recorded) },
    onUnable: (vote, error) => voteLog.unable(vote, error),
    onLost: ({ recipient }) => lost.push(recipient.key),
  });
  const { port, refusals } = await listening({ intake });
  /** Sends this many votes at once, each of a different player. `ok` lists the players whose votes were answered ok. */
  const send = async (name: string, count: number): Promise<{ ok: string[]; answers: Set<string> }> => {
    const answers = await Promise.all(
      Array.from({ length: count }, async (_, number) => {
        const client = await VotifierClient.greeted(port);
        client.write(await client.frame({ username: `${name}${number}`, timestamp: '' }));
        return client.untilClosed();
      }),
    );
    const ok = answers.flatMap((answer, number) => (answer === OK ? [`${name}${number}`] : []));
    return { ok, answers: new Set(answers) };
  };
  const players = async (): Promise<string[]> =>
    (await ledger.votes({ limit: 100_000 })).map(({ player }) => player ?? '').reverse();
  return { port, ledger, refusals, lost, limitTo, send, players, clock, ...kept };
}

test('answers v2 senders with an error while the disk is full, and stores exactly the votes answered ok', async () => {
  const { send, players, limitTo, codes, refusals, ledger } = await listenerWithLimit(45);
  const [ok, allAnswers]: [string[], Set<string>] = [[], new Set()];
  for (let burst = 0; burst < 12; burst++) {
    const { ok: accepted, answers } = await send(`V${burst}n`, 25);
    ok.push(...accepted);
    for (const answer of answers) allAnswers.add(answer);
  }
  expect(allAnswers).toEqual(new Set([OK, UNABLE]));
  expect((await players()).sort()).toEqual(ok.sort());
  expect(refusals).toHaveLength(300 - ok.length);
  expect(codes('error')).toEqual(['ledger-full']); // One line, not one for each vote.
  // Each vote has its grant, and nothing of a batch that was rolled back remains.
  expect(await ledger.grantStates()).toEqual({ pending: ok.length });

  limitTo(10_000);
  expect(await send('After', 3)).toEqual({ ok: ['After0', 'After1', 'After2'], answers: new Set([OK]) });
});

test('keeps a v1 vote in memory while the disk is full, and records it once when there is room, without counting a refusal', async () => {
  const { port, players, limitTo, refusals, lost, clock, send } = await listenerWithLimit(45);
  for (let burst = 0; (await send(`V${burst}n`, 25)).ok.length > 0; burst++) expect(burst).toBeLessThan(50);
  const before = refusals.length;
  const client = await VotifierClient.greeted(port);
  client.write(voteBlock('Steve', ''));
  expect(await client.untilClosed()).toBe('');
  expect(await players()).not.toContain('Steve');
  limitTo(10_000);
  clock.advance(1_000);
  await expect.poll(async () => (await players()).filter((player) => player === 'Steve')).toEqual(['Steve']);
  expect([refusals.length, lost]).toEqual([before, []]);
});

test('fails after 3 s if another process has locked the ledger, without blocking the event loop', async () => {
  const { ledger, file, ended } = await freshThreadedLedger();
  const other = openDatabase(file, ledgerSchema, 'write');
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  const started = systemClock.monotonic();
  let turns = 0;
  const counting = setInterval(() => turns++, 10);
  onTestFinished(() => clearInterval(counting));
  await expect(record(ledger, [arrival()], rulesFor())).rejects.toMatchObject({ code: 'ledger-locked' });
  expect(systemClock.monotonic() - started).toBeGreaterThanOrEqual(3_000);
  expect(turns).toBeGreaterThan(20);
  const waiting = record(ledger, [arrival()], rulesFor());
  other.exec('COMMIT');
  expect(await waiting).toMatchObject([{ kind: 'new', id: 1 }]);
  expect(ended).toEqual([]);
});
