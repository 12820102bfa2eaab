import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { firstVote } from '../../src/rewards/first-vote.ts';
import { historyWith, judging, vote, waysIn } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

const judged = (written: true | 'site' | 'day', count: number) =>
  firstVote.holds(
    firstVote.schema(schemaKit).parse(written),
    judging({ vote: vote({ day: 20_605 }), history: historyWith({ count: () => count }) }),
  );

test.each([
  [true, 'total 1'],
  ['site', 'site List total 1'],
  ['day', 'day 2026-06-01 total 1'],
] as const)('%j holds for the vote that makes that count 1', (written, name) => {
  expect(waysIn(judged(written, 1))).toEqual([[name]]);
  expect(waysIn(judged(written, 2))).toBeNull();
  expect(waysIn(judged(written, 0))).toBeNull();
});

test('explains that it was not the first', () => {
  expect(firstVote.explain.notHeld(judged(true, 2).because)).toContain('not the first');
});

test.each([false, 'week', 1])('refuses %j', async (written) => {
  expect(await faultsOfIf({ firstVote: written })).toEqual(['config-value firstVote']);
});
