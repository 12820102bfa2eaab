import { expect, test } from 'vitest';
import type { PlayerName } from '../../src/core/player-name.ts';
import { readForward } from '../../src/core/forward.ts';
import { forwardOf } from '../../src/intake/forward.ts';
import { wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { ForgetProgress, ForgetStep, Ledger } from '../../src/ledger/ledger.ts';
import type { Database } from '../../src/sqlite/open.ts';
import { type FreshLedger, freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { reward } from '../support/rewards.ts';
import { arrival, DAY } from '../support/votes.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const AT = Date.UTC(2026, 5, 29, 12);
const MAIN = { server: 'main', practice: false };
const rules = rulesFor(THANKS);

const cast = (player: string, day: number) =>
  arrival({
    ...{ player, site: 'List', receivedAt: arrival().vote.receivedAt + day * DAY },
    ...{ sentAs: `${player} `, address: '192.0.2.7', wire: `{"username":"${player}"}` },
  });

/** Alex, who is also Sasha, with votes, grants that were paid and wait, and whatever else names them. */
async function alex(): Promise<FreshLedger> {
  const fresh = freshLedger();
  const { ledger } = fresh;
  await record(ledger, [cast('Alex', 0), cast('Alex', 1), cast('Sasha', 2), cast('Kim', 0)], rules);
  const see = (name: string) =>
    ledger.storeSeen({ players: [{ name, uuid: ALEX, at: null }], server: 'main', rules }, AT);
  await see('Alex');
  await see('Sasha');
  for (const [grantId, player, uuid, reply] of [
    [1, 'Sasha', ALEX, 'Gave 1 [Diamond] to Sasha'],
    [4, 'Kim', null, 'Kim thanks ALEX, but not Alexandra'],
  ] as const) {
    await ledger.claim({ grantId, position: 0, player, uuid, now: AT });
    const outcome = { kind: 'delivered', reply } as const;
    await ledger.settle({
      grantId,
      position: 0,
      outcome,
      state: 'delivered',
      reason: null,
      dueAt: 0,
      endedAt: AT,
    });
  }
  await ledger.wait(
    { id: 2, server: 'main' },
    { code: 'player-offline', facts: { reply: 'Alex is away' } },
    AT,
  );
  await ledger.countRefusals([
    { code: 'name', service: 'Vote for Alex', sender: '192.0.2.7', count: 1, lastAt: AT },
  ]);
  await ledger.giveReward(
    {
      ...{ reward: reward('gift'), player: 'Sasha' as PlayerName, by: 'ann', rules },
      occasion: { name: '', isNetworks: false, isTaken: false, threshold: null, streaks: [] },
      draws: { kind: 'drawn', seed: 0.5 },
    },
    AT,
  );
  return fresh;
}

async function forget(ledger: Ledger, name: string): Promise<ForgetStep> {
  let progress: ForgetProgress | null = null;
  for (;;) {
    const step: ForgetStep = await ledger.forgetPlayer({ name: name as PlayerName, by: 'ann' }, progress, AT);
    if (step.kind !== 'forgetting') return step;
    progress = step.progress;
  }
}

/** Every value of every table that contains a text, in any case. */
function cellsWith(database: Database, text: RegExp): string[] {
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
    .pluck()
    .all() as string[];
  return tables.flatMap((table) =>
    (database.prepare(`SELECT * FROM "${table}"`).all() as object[]).flatMap((row) =>
      Object.entries(row).flatMap(([column, value]) =>
        typeof value === 'string' && text.test(value) ? [`${table}.${column}: ${value}`] : [],
      ),
    ),
  );
}

const NAMES = /(?<!\w)(?:alex|sasha)(?!\w)/i;

test('a player who is forgotten is named nowhere in the ledger, under none of their names', async () => {
  const { ledger, database } = await alex();
  expect(cellsWith(database, NAMES).length).toBeGreaterThan(10);
  expect(await forget(ledger, 'sasha')).toEqual({ kind: 'forgotten', name: 'forgotten-1' });
  expect(cellsWith(database, NAMES)).toEqual([]);
  expect(cellsWith(database, new RegExp(ALEX))).toEqual([]);
});

test('what was forwarded of their votes no longer says who they were or from where', async () => {
  const { ledger } = freshLedger();
  const targets = [{ server: 'old', maxAgeMs: DAY, pays: false }];
  for (const player of ['Alex', 'Kim']) {
    const judged = cast(player, 0);
    const to = { ...rules, targets };
    await ledger.record({ ...judged, rules: to, ...forwardOf(judged, '203.0.113.9', to) }, null);
  }
  await forget(ledger, 'Alex' as PlayerName);
  const sent = (await ledger.grants({ server: 'old', limit: 9 })).map(({ commands }) => commands[0]?.command);
  expect(sent).toHaveLength(2);
  expect(readForward(sent[0] ?? '')).toMatchObject({ player: 'Kim', address: '203.0.113.9' });
  expect(sent[1]).not.toMatch(/alex|203\.0/i);
});

test('their votes stay counted, and what others have stays as it is', async () => {
  const { ledger } = await alex();
  await forget(ledger, 'Alex');
  expect(await ledger.players('forgotten-1')).toMatchObject([{ votes: 3, paidAs: 'forgotten-1', hints: [] }]);
  expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
  expect(await ledger.votes({ recipient: 'Kim', limit: 9 })).toMatchObject([
    { player: 'Kim', address: '192.0.2.7', wire: '{"username":"Kim"}' },
  ]);
  expect((await ledger.grants({ recipient: 'Kim', limit: 9 }))[0]?.commands).toMatchObject([
    { reply: 'Kim thanks forgotten-1, but not Alexandra' },
  ]);
});

test('what they are owed is cancelled, and what was paid stays paid', async () => {
  const { ledger } = await alex();
  await forget(ledger, 'Alex');
  expect(await ledger.grantStates()).toEqual({ delivered: 2, cancelled: 3 });
  expect(await ledger.pending(MAIN, AT, 9)).toEqual([]);
});

test('whoever votes under the name later starts at 0', async () => {
  const { ledger } = await alex();
  await forget(ledger, 'Alex');
  await record(ledger, [cast('Alex', 9)], rules);
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 1, changes: [] }]);
});

test('a second try finishes what the first one left', async () => {
  const { ledger, database } = await alex();
  const order = { name: 'Alex' as PlayerName, by: 'ann' };
  const first = await ledger.forgetPlayer(order, null, AT);
  expect(first).toEqual({ kind: 'forgetting', progress: { part: 'grants', after: 0 } });
  expect(await forget(ledger, 'Alex')).toMatchObject({ kind: 'forgotten' });
  expect(cellsWith(database, NAMES)).toEqual([]);
  expect(await forget(ledger, 'Alex')).toEqual({ kind: 'refused', code: 'player-missing' });
});

test('a name that is also a word of a command leaves commands that are still to run as they are', async () => {
  const { ledger } = freshLedger();
  await record(ledger, [cast('say', 0), cast('Kim', 0)], rules);
  await forget(ledger, 'say');
  expect(await ledger.pending(MAIN, AT, 9)).toMatchObject([
    { recipientKey: 'kim', commands: [{ text: 'say {player} voted' }] },
  ]);
});
