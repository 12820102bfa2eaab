import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { returning } from '../../src/rewards/returning.ts';
import { historyWith, judging, vote, waysIn } from '../support/rewards.ts';
import { at, DAY } from '../support/votes.ts';
import { faultsOfIf } from './if-faults.ts';

const NOON = at('2026-06-01T12:00:00Z');

/** Steve's vote at noon on 1 June 2026, after one that was cast at a time. */
const judged = (last: number | null) =>
  returning.holds(
    returning.schema(schemaKit).parse('30d'),
    judging({
      vote: vote({ castAt: NOON }),
      history: historyWith({ lastCounted: () => last }),
    }),
  );

test('a player whose last vote was longer ago than the duration returns on the day of the vote', () => {
  expect(waysIn(judged(NOON - 30 * DAY - 1))).toEqual([['return 2026-06-01']]);
});

test.each([
  ['whose last vote was just as long ago', NOON - 30 * DAY],
  ['who voted yesterday', NOON - DAY],
  ['who never voted', null],
] as const)('a player %s does not return', (_, last) => {
  expect(waysIn(judged(last))).toBeNull();
});

test('explains how long the player was away', () => {
  expect(returning.explain.notHeld(judged(NOON - 9 * DAY).because)).toMatch(/9 ?d.*30 ?d/);
  expect(returning.explain.notHeld(judged(null).because)).toContain('first');
  expect(returning.explain.held(judged(NOON - 31 * DAY).because)).toMatch(/31 ?d/);
});

test.each(['30', '59m', '3661d', 30])('refuses %j', async (written) => {
  expect(await faultsOfIf({ returning: written })).toEqual(['config-value returning']);
});
