import { describe, expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import type { CountScope } from '../../src/rewards/history.ts';
import { votes } from '../../src/rewards/votes.ts';
import { historyWith, judging, vote, waysIn } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

const schema = votes.schema(schemaKit);
/** 1 June 2026, a Monday. */
const DAY = 20_605;

const judged = (written: object, count: number, asked: CountScope[] = []) => {
  const history = historyWith({
    count: (scope) => {
      asked.push(scope);
      return count;
    },
  });
  return votes.holds(schema.parse(written), judging({ vote: vote({ day: DAY }), history }));
};

describe('the total', () => {
  test.each([
    [{ every: 25 }, 24, null],
    [{ every: 25 }, 25, [['total 25']]],
    [{ every: 25 }, 26, null],
    [{ every: 25 }, 50, [['total 50']]],
    [{ at: [5] }, 5, [['total 5']]],
    [{ at: [5] }, 10, null],
    [{ at: [5, '50..200 step 50'] }, 50, [['total 50']]],
    [{ at: [5, '50..200 step 50'] }, 200, [['total 200']]],
    [{ at: [5, '50..200 step 50'] }, 75, null],
    [{ at: [5, '50..200 step 50'] }, 250, null],
  ])('%j is judged right for a vote that makes it %i', (written, count, ways) => {
    expect(waysIn(judged(written, count))).toEqual(ways);
  });
});

test.each([
  ['total', 'total 5', { of: 'recipient' }],
  ['site', 'site List total 5', { of: 'recipient', services: ['List'] }],
  ['day', 'day 2026-06-01 total 5', { of: 'recipient', days: { from: DAY, to: DAY } }],
  ['week', 'week 2026-W23 total 5', { of: 'recipient', days: { from: DAY, to: DAY + 6 } }],
  ['month', 'month 2026-06 total 5', { of: 'recipient', days: { from: DAY, to: DAY + 29 } }],
  ['network', 'network 5', { of: 'network' }],
])('of %s names the occasion, and counts only those votes', (of, name, scope) => {
  const asked: CountScope[] = [];
  expect(waysIn(judged({ every: 5, of }, 5, asked))).toEqual([[name]]);
  expect(asked).toEqual([scope]);
});

test('only the network’s occasions are granted once in all', () => {
  const isNetworks = (of: string) => judged({ every: 5, of }, 5).ways?.[0]?.[0]?.isNetworks;
  expect([isNetworks('network'), isNetworks('total')]).toEqual([true, false]);
});

test('with `sites`, only votes on them are counted, and a vote on another site reaches nothing', () => {
  const asked: CountScope[] = [];
  expect(waysIn(judged({ every: 5, sites: ['List', 'B'] }, 5, asked))).toEqual([['total 5']]);
  expect(asked).toEqual([{ of: 'recipient', services: ['List', 'B'] }]);
  expect(waysIn(judged({ every: 5, sites: ['B'] }, 5))).toBeNull();
  expect(votes.sites?.(schema.parse({ every: 5, sites: ['B'] }))).toEqual(['B']);
});

test('explains what the count is', () => {
  const { because } = judged({ every: 25 }, 24);
  expect(votes.explain.notHeld(because)).toContain('24');
});

test.each([
  [{}, 'config-value votes'],
  [{ every: 2, at: [3] }, 'config-value votes'],
  [{ every: 0 }, 'config-value votes.every'],
  [{ at: ['5..50'] }, 'config-value votes.at[0]'],
  [{ at: ['50..5 step 5'] }, 'config-value votes.at[0]'],
  [{ at: ['5..50 step 0'] }, 'config-value votes.at[0]'],
  [{ at: [] }, 'config-value votes.at'],
  [{ every: 5, of: 'year' }, 'config-value votes.of'],
  [{ every: 5, sites: ['Nowhere'] }, 'config-unknown-name votes'],
  [{ every: 5, sites: ['default'] }, 'config-value votes.sites[0]'],
])('refuses %j', async (written, fault) => {
  expect(await faultsOfIf({ votes: written })).toEqual([fault]);
});
