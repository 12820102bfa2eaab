import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import type { Days } from '../../src/core/period.ts';
import { allSites } from '../../src/rewards/all-sites.ts';
import { historyWith, judging, vote, waysIn } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

const schema = allSites.schema(schemaKit);
/** 1 June 2026, a Monday. */
const DAY = 20_605;

interface Facts {
  readonly voted: readonly string[];
  readonly listed?: readonly string[];
  readonly asked?: Days[];
}

const judged = (written: unknown, { voted, listed = ['A', 'B', 'C'], asked = [] }: Facts) =>
  allSites.holds(
    schema.parse(written),
    judging({
      vote: vote({ day: DAY }),
      history: historyWith({
        servicesOn: (days) => {
          asked.push(days);
          return new Set(voted);
        },
      }),
      listed,
    }),
  );

test.each([
  ['every entry of `sites`', true, ['A', 'B', 'C'], [['day 2026-06-01']]],
  ['all but one entry', true, ['A', 'C'], null],
  ['enough entries', { atLeast: 2 }, ['A', 'C'], [['day 2026-06-01']]],
  ['too few entries', { atLeast: 2 }, ['A', 'Z'], null],
  ['the listed sites', { sites: ['A', 'B'] }, ['A', 'B'], [['day 2026-06-01']]],
  ['other sites than the listed ones', { sites: ['A', 'B'] }, ['A', 'C'], null],
  ['all sites in the week', { within: 'week' }, ['A', 'B', 'C'], [['week 2026-W23']]],
] as const)('a player who has voted on %s is judged right', (_, written, voted, ways) => {
  expect(waysIn(judged(written, { voted }))).toEqual(ways);
});

test('looks at the day of the vote, or at its week from Monday to Sunday', () => {
  const asked: Days[] = [];
  judged(true, { voted: [], asked });
  judged({ within: 'week' }, { voted: [], asked });
  expect(asked).toEqual([
    { from: DAY, to: DAY },
    { from: DAY, to: DAY + 6 },
  ]);
});

test('never holds where no entry of `sites` has votes of that kind of recipient', () => {
  expect(waysIn(judged(true, { voted: ['A'], listed: [] }))).toBeNull();
});

test('explains which sites are missing', () => {
  expect(allSites.explain.notHeld(judged(true, { voted: ['A'] }).because)).toMatch(/B.*C/);
});

test('lists its sites, so that the config can check them', () => {
  expect(allSites.sites?.(schema.parse({ sites: ['A', 'B'] }))).toEqual(['A', 'B']);
  expect(allSites.sites?.(schema.parse(true))).toEqual([]);
});

test.each([
  [false, 'config-value allSites'],
  [{ atLeast: 0 }, 'config-value allSites.atLeast'],
  [{ atLeast: 2, sites: ['List'] }, 'config-value allSites.atLeast'],
  [{ within: 'month' }, 'config-value allSites.within'],
  [{ sites: ['Nowhere'] }, 'config-unknown-name allSites'],
  [{ sites: ['default'] }, 'config-value allSites.sites[0]'],
])('refuses %j', async (written, fault) => {
  expect(await faultsOfIf({ allSites: written })).toEqual([fault]);
});
