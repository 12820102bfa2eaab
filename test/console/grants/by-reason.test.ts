import { expect, test } from 'vitest';
import { byReason, wordsOf } from '../../../src/console/grants/group-card.ts';
import { FORWARD } from '../../../src/core/forward.ts';
import type { GrantCode } from '../../../src/core/grant-reason.ts';
import { unknownReasons } from '../../../src/delivery/reasons.ts';
import type { GrantRow, StuckGroup } from '../../../src/ledger/ledger.ts';
import { grantTodos } from '../../../src/operator/trace/grant-reasons.ts';

const KINDS = new Map([
  ['main', 'rcon'],
  ['lobby', 'rcon'],
]);

const group = (
  server: string,
  state: StuckGroup['state'],
  reason: StuckGroup['reason'],
  reward = 'daily',
): StuckGroup => ({
  ...{ server, state, reason, count: 1, changedAt: 0 },
  grants: [{ reward, server, pool: null, practice: false } as GrantRow],
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

test('a game server that is gone from the config does not separate the others', () => {
  const held = (server: string) => group(server, 'held', 'clock-doubt');
  expect(serversOf(held('main'), held('gone'), held('lobby'))).toEqual([['main', 'lobby'], ['gone']]);
});

test('what shares a card is decided by codes and facts, and whatever shares one is told the same', () => {
  const codes = Object.keys(grantTodos) as GrantCode[];
  const reasons = [null, ...codes, ...(Object.keys(unknownReasons) as GrantCode[])];
  const shared = reasons.flatMap((reason) =>
    (['held', 'refused'] as const).flatMap((state) => {
      const [one, other] = [group('main', state, reason), group('lobby', state, reason)];
      if (serversOf(one, other).length > 1) return [];
      expect(wordsOf(one, KINDS)).toEqual(wordsOf(other, KINDS));
      return state === 'held' ? [reason] : [];
    }),
  );
  expect(shared).toEqual(['clock-doubt', 'name-taken']);
});

test('votes that another listener refused are apart, because each says itself what is wrong', () => {
  const refused = (server: string) => group(server, 'refused', 'refused', FORWARD);
  expect(serversOf(refused('main'), refused('lobby'))).toEqual([['main'], ['lobby']]);
});

test.each([
  ['to do something else on each', group('main', 'held', 'timeout'), group('lobby', 'held', 'timeout')],
  ['another reason', group('main', 'held', 'clock-doubt'), group('lobby', 'held', 'restore-doubt')],
  ['no entry in the config', group('main', 'held', 'clock-doubt'), group('gone', 'held', 'clock-doubt')],
])('game servers with %s are apart', (_, one, other) => {
  expect(serversOf(one, other)).toEqual([[one.server], [other.server]]);
});
