import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { PlayerBalance } from '../../src/core/player-balance.ts';
import type { PlayerName } from '../../src/core/player-name.ts';
import { importBalances } from '../../src/operator/import-history.ts';
import { type Operator, operator } from '../commands/operator.ts';
import { AS_OF, manyPlayers, NO_BALANCE, sourceOf } from '../support/balances.ts';

const STEVE: PlayerBalance = { ...NO_BALANCE, player: 'Steve' };

async function imported(one: Operator, players: Iterable<PlayerBalance>) {
  const config = await loadConfig(one.config, { missingSecrets: 'defer' });
  const progress: number[] = [];
  const tools = {
    ...{ ledger: one.ledger, config, by: 'votingplugin by ann', now: AS_OF },
    onProgress: (read: number) => void progress.push(read),
  };
  return { report: await importBalances(sourceOf(players), tools), progress };
}

test('imports totals, runs and last votes, and tells how far it is', async () => {
  const one = await operator({ sites: { List: {} } });
  const { report, progress } = await imported(one, manyPlayers(450));
  expect(report).toMatchObject({
    ...{ players: 450, stored: 450, same: 0, passed: 0, differing: 0, faulty: 0 },
    lastVotes: { counted: 450, uncounted: 0, same: 0, receivedHere: 0 },
  });
  expect(progress).toEqual([200, 400, 450]);
  expect(await one.ledger.players('player7' as PlayerName)).toMatchObject([{ votes: 107 }]);
});

test('adds nothing when it is repeated', async () => {
  const one = await operator({ sites: { List: {} } });
  await imported(one, manyPlayers(3));
  const { report } = await imported(one, manyPlayers(3));
  expect(report).toMatchObject({ stored: 0, same: 3, differing: 0, lastVotes: { counted: 0, same: 3 } });
});

test('a last vote keeps its player from being paid again within the cooldown', async () => {
  const one = await operator({
    sites: { List: {} },
    rewards: [{ name: 'daily', commands: ['say {player}'] }],
  });
  await imported(one, [{ ...STEVE, lastVotes: new Map([['List', AS_OF - 3_600_000]]) }]);
  expect(await one.vote('Steve', 'List', { at: '2026-06-20T13:00:00Z' })).toMatchObject({
    decision: { kind: 'cooldown' },
  });
});

test('lists what cannot be kept, and last votes that no vote can be', async () => {
  const one = await operator();
  const balance = {
    ...STEVE,
    streak: { current: 3, best: null, lastAt: null },
    lastVotes: new Map([['List', AS_OF + 1]]),
  };
  const { report } = await imported(one, [balance]);
  expect(report).toMatchObject({
    notKept: { undatedRuns: 1 },
    faults: [{ file: 'players', key: 'Steve, last vote on List', why: 'has a time in the future' }],
  });
});

test('shows what differs from the import before, which stays', async () => {
  const one = await operator();
  const withTotal = (all: number) => ({ ...STEVE, totals: { ...STEVE.totals, all } });
  await imported(one, [withTotal(100)]);
  const { report } = await imported(one, [withTotal(90)]);
  expect(report).toMatchObject({
    ...{ stored: 0, same: 0, differing: 1 },
    differences: [{ player: 'Steve', what: 'total', was: 100, is: 90 }],
  });
  expect(await one.ledger.players('steve' as PlayerName)).toMatchObject([{ votes: 100 }]);
});
