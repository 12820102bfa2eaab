import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import type { ReachedStreak } from '../../src/core/occasion.ts';
import { parseDay } from '../../src/core/period.ts';
import { conditions, type If } from '../../src/rewards/conditions.ts';
import type { CountScope } from '../../src/rewards/history.ts';
import type { NameHistory } from '../../src/rewards/joining.ts';
import { passedByJoining } from '../../src/rewards/passed.ts';

interface Cast {
  /** A day of June 2026, from 1 on. */
  readonly day: number;
  readonly service: string;
}

const JUNE = (parseDay('2026-06-01') as number) - 1;

/** A name with these votes, all of which count. */
function named(...votes: readonly Cast[]): NameHistory {
  const on = ({ from, to }: { from: number; to: number }) =>
    votes.filter(({ day }) => day + JUNE >= from && day + JUNE <= to);
  const within = ({ days, services }: CountScope): readonly Cast[] =>
    (days === undefined ? votes : on(days)).filter(
      ({ service }) => services === undefined || services.includes(service),
    );
  return {
    count: (scope) => within(scope).length,
    servicesOn: (days) => new Set(on(days).map(({ service }) => service)),
    importedRuns: () => [],
    countedOn: (days) =>
      [...new Set(on(days).map(({ day }) => day))]
        .sort((one, other) => one - other)
        .map((day) => ({ day: day + JUNE, counted: votes.filter((vote) => vote.day === day).length })),
  };
}

const votesOn = (service: string, ...days: readonly number[]): Cast[] =>
  days.map((day) => ({ day, service }));
const times = (count: number, service: string, day: number): Cast[] =>
  Array.from({ length: count }, () => ({ day, service }));

interface Facts {
  readonly startDay?: number;
  readonly paid?: readonly ReachedStreak[];
}

/** The names of what an `if`, as operators write it, has passed. */
function passed(
  written: Record<string, unknown>,
  one: NameHistory,
  other: NameHistory,
  { startDay = 0, paid = [] }: Facts = {},
): readonly string[] {
  const schema = schemaKit.nestedIf();
  const { chance, ...rest } = written;
  const parsed = {
    ...(schema.parse(rest) as If),
    ...(chance === undefined ? {} : { chance: conditions.chance.schema(schemaKit).parse(chance) }),
  };
  return passedByJoining(
    { if: parsed },
    { names: [one, other], startDay, paidStreaks: () => paid, listed: ['A', 'B'] },
  ).occasions.map(({ name }) => name);
}

test('Alex with 20 votes and Sasha with 8 pass the total of 25', () => {
  const [alex, sasha] = [named(...times(20, 'A', 1)), named(...times(8, 'A', 9))];
  expect(passed({ votes: { every: 25 } }, alex, sasha)).toEqual(['total 25']);
  expect(passed({ votes: { at: [8, 20, 21, 28, 29] } }, alex, sasha)).toEqual(['total 21', 'total 28']);
  expect(passed({ votes: { every: 25 }, chance: '5%' }, alex, sasha)).toEqual(['total 25']);
});

test('a name without votes passes nothing', () => {
  const alex = named(...times(28, 'A', 1));
  expect(passed({ votes: { every: 1 } }, alex, named())).toEqual([]);
  expect(passed({ streak: 2 }, named(...votesOn('A', 1, 2)), named())).toEqual([]);
});

test.each([
  ['site', ['site A total 3', 'site A total 4']],
  ['day', ['day 2026-06-02 total 2']],
  ['week', ['week 2026-W23 total 4', 'week 2026-W23 total 5']],
  ['month', ['month 2026-06 total 4', 'month 2026-06 total 5', 'month 2026-06 total 6']],
  ['network', []],
])('counts of: %s are passed where there are votes under both names', (of, names) => {
  const alex = named(...votesOn('A', 1, 2), ...votesOn('B', 9));
  const sasha = named(...votesOn('A', 2, 3), ...votesOn('C', 3));
  expect(passed({ votes: { every: 1, of } }, alex, sasha)).toEqual(names);
});

test('only votes on the sites of a condition are counted', () => {
  const alex = named(...times(3, 'A', 1), ...times(9, 'B', 1));
  const sasha = named(...times(3, 'A', 2), ...times(1, 'B', 2));
  const written = { votes: { every: 5, sites: ['A'] } };
  expect(passed(written, alex, sasha)).toEqual(['total 5']);
  expect(passed({ votes: { every: 5, of: 'site', sites: ['A'] } }, alex, sasha)).toEqual(['site A total 5']);
});

test('a period that ended before the reward started is not passed', () => {
  const [alex, sasha] = [named(...times(3, 'A', 7)), named(...times(3, 'B', 7))];
  const facts = { startDay: JUNE + 8 };
  expect(passed({ votes: { at: [4], of: 'week' } }, alex, sasha, facts)).toEqual([]);
  expect(passed({ votes: { at: [4], of: 'month' } }, alex, sasha, facts)).toEqual(['month 2026-06 total 4']);
  expect(passed({ allSites: true }, alex, sasha, facts)).toEqual([]);
});

test('a run that grows out of the days of both names passes its lengths', () => {
  const [alex, sasha] = [named(...votesOn('A', 1, 2, 3, 4)), named(...votesOn('A', 5, 6, 7))];
  expect(passed({ streak: 7 }, alex, sasha)).toEqual(['streak 7 reached 2026-06-07']);
  expect(passed({ streak: { length: 2, repeat: true } }, alex, sasha)).toEqual([
    'streak 6 reached 2026-06-06',
  ]);
  expect(passed({ streak: 8 }, alex, sasha)).toEqual([]);
});

test('a length that was reached or paid under one name is not passed again in the same run', () => {
  const [alex, sasha] = [named(...votesOn('A', 1, 2, 3)), named(...votesOn('A', 4, 5))];
  expect(passed({ streak: 3 }, alex, sasha)).toEqual([]);
  const paid = [{ per: 'day', length: 4, period: JUNE + 4 }] as const;
  expect(passed({ streak: 4 }, alex, sasha, { paid })).toEqual([]);
});

test('a streak that was reached before the reward started is not passed', () => {
  const [alex, sasha] = [named(...votesOn('A', 1)), named(...votesOn('A', 2))];
  expect(passed({ streak: 2 }, alex, sasha, { startDay: JUNE + 3 })).toEqual([]);
  expect(passed({ streak: 2 }, alex, sasha, { startDay: JUNE + 2 })).toEqual(['streak 2 reached 2026-06-02']);
});

test('weeks with enough votes under both names together make a run', () => {
  const [alex, sasha] = [named(...votesOn('A', 1, 8)), named(...votesOn('A', 2, 9))];
  expect(passed({ streak: { length: 2, per: 'week', votes: 2 } }, alex, sasha)).toEqual([
    'streak 2 reached 2026-W24',
  ]);
});

test('all sites of a day are passed if neither name had them', () => {
  const [alex, sasha] = [named(...votesOn('A', 1, 2)), named(...votesOn('B', 1), ...votesOn('A', 2))];
  expect(passed({ allSites: true }, alex, sasha)).toEqual(['day 2026-06-01']);
  expect(passed({ allSites: { within: 'week' } }, alex, sasha)).toEqual([]);
});

test('a first vote, and a return after a pause, are never passed', () => {
  const [alex, sasha] = [named(...votesOn('A', 1)), named(...votesOn('B', 1))];
  for (const firstVote of [true, 'site', 'day'])
    expect(passed({ firstVote }, alex, sasha), String(firstVote)).toEqual([]);
  expect(passed({ returning: '1d' }, alex, sasha)).toEqual([]);
});

test('several conditions pass an occasion if each of them has passed one', () => {
  const [alex, sasha] = [named(...votesOn('A', 1)), named(...votesOn('B', 1))];
  expect(passed({ votes: { at: [2] }, allSites: true }, alex, sasha)).toEqual(['total 2, day 2026-06-01']);
  expect(passed({ votes: { at: [3] }, allSites: true }, alex, sasha)).toEqual([]);
  expect(passed({ any: [{ votes: { at: [2] } }, { allSites: true }] }, alex, sasha)).toEqual([
    'total 2',
    'day 2026-06-01',
  ]);
});
