import { expect, test } from 'vitest';
import { byReason } from '../../../src/console/grants/group-card.ts';
import type { GrantRow, StuckGroup } from '../../../src/ledger/ledger.ts';

const KINDS = new Map([
  ['main', 'rcon'],
  ['lobby', 'rcon'],
]);

const group = (server: string, state: StuckGroup['state'], reason: StuckGroup['reason']): StuckGroup => ({
  ...{ server, state, reason, count: 1, changedAt: 0 },
  grants: [{ reward: 'daily', server, pool: null, practice: false } as GrantRow],
});

const serversOf = (...groups: readonly StuckGroup[]) =>
  byReason(groups, KINDS).map((same) => same.map(({ server }) => server));

test('game servers with the same reason and the same to do are together, at the place of the first', () => {
  const main = group('main', 'held', 'clock-doubt');
  const refused = group('main', 'refused', 'refused');
  expect(serversOf(main, refused, group('lobby', 'held', 'clock-doubt'))).toEqual([
    ['main', 'lobby'],
    ['main'],
  ]);
});

test.each([
  ['to do something else on each', group('main', 'held', 'timeout'), group('lobby', 'held', 'timeout')],
  ['another reason', group('main', 'held', 'clock-doubt'), group('lobby', 'held', 'restore-doubt')],
  ['no entry in the config', group('main', 'held', 'clock-doubt'), group('gone', 'held', 'clock-doubt')],
])('game servers with %s are apart', (_, one, other) => {
  expect(serversOf(one, other)).toEqual([[one.server], [other.server]]);
});
