import { expect, test } from 'vitest';
import { servicesIn, VotedRuns } from '../../src/ledger/sqlite/voted-runs.ts';
import type { VotedAround } from '../../src/rewards/history.ts';
import { freshLedger } from '../support/ledgers.ts';

const EVERYTHING = { day: 100, gap: 1_000 };

/** The runs of a recipient who voted on these days, in the order in which the votes came. */
function runsOf(days: readonly number[]): VotedRuns {
  const { database } = freshLedger();
  database.exec("INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve')");
  const runs = new VotedRuns(database);
  for (const day of days) runs.add({ recipientId: 1, service: 'Site', day, counted: 1 });
  return runs;
}

function around(days: readonly number[], wanted: VotedAround) {
  const runs = runsOf(days);
  return runs.around(runs.row(1), wanted);
}

test.each([
  ['one day', [100], [[100, 100]]],
  ['the same day again', [100, 100], [[100, 100]]],
  ['the next day', [100, 101], [[100, 101]]],
  [
    'a day after a gap',
    [100, 102],
    [
      [100, 100],
      [102, 102],
    ],
  ],
  ['the day before the latest run', [101, 100], [[100, 101]]],
  [
    'a day long before the latest run',
    [100, 90],
    [
      [90, 90],
      [100, 100],
    ],
  ],
  ['a day that joins the latest run with the one before', [98, 99, 101, 102, 100], [[98, 102]]],
  [
    'a day that joins two earlier runs',
    [90, 92, 100, 91],
    [
      [90, 92],
      [100, 100],
    ],
  ],
  [
    'a day that lengthens an earlier run at its end',
    [90, 100, 91],
    [
      [90, 91],
      [100, 100],
    ],
  ],
  [
    'a day that lengthens an earlier run at its start',
    [90, 100, 89],
    [
      [89, 90],
      [100, 100],
    ],
  ],
  [
    'a day within an earlier run',
    [90, 91, 92, 100, 91],
    [
      [90, 92],
      [100, 100],
    ],
  ],
])('%s gives the runs of consecutive days', (_, days, expected) => {
  const found = around(days, EVERYTHING);
  expect(found).toEqual(expected.map(([from, to]) => ({ from, to })));
});

test.each([
  [0, [[100, 101]]],
  [
    1,
    [
      [97, 98],
      [100, 101],
    ],
  ],
  [
    2,
    [
      [94, 94],
      [97, 98],
      [100, 101],
      [104, 104],
    ],
  ],
])('only gaps of at most %d days are passed over', (gap, expected) => {
  const found = around([94, 97, 98, 100, 101, 104], { day: 100, gap });
  expect(found).toEqual(expected.map(([from, to]) => ({ from, to })));
});

test('the latest run does not count for a day more than a gap later', () => {
  expect(around([97, 98], { day: 100, gap: 0 })).toEqual([]);
  expect(around([97, 98], { day: 100, gap: 1 })).toEqual([{ from: 97, to: 98 }]);
});

test('the longest run is the latest one or an earlier one', () => {
  expect(runsOf([]).longest(1)).toBe(0);
  expect(runsOf([97, 98, 100]).longest(1)).toBe(2);
  expect(runsOf([97, 99, 100, 101]).longest(1)).toBe(3);
});

/** The services in the row of a recipient who voted so, in this order. */
function servicesAfter(votes: readonly (readonly [day: number, service: string])[]) {
  const runs = runsOf([]);
  for (const [day, service] of votes) runs.add({ recipientId: 1, service, day, counted: 1 });
  const { services } = runs.row(1);
  return services === null ? null : servicesIn(services);
}

test.each([
  [
    'each service once',
    [
      [100, 'A'],
      [100, 'B'],
      [100, 'A'],
    ],
    ['A', 'B'],
  ],
  [
    'the day’s own after an earlier day',
    [
      [99, 'A'],
      [100, 'B'],
    ],
    ['B'],
  ],
  [
    'the day’s own after a gap',
    [
      [90, 'A'],
      [100, 'B'],
    ],
    ['B'],
  ],
  [
    'no service of a late vote',
    [
      [100, 'A'],
      [99, 'B'],
    ],
    ['A'],
  ],
  [
    'a service whose name is part of another',
    [
      [100, 'List.org'],
      [100, 'List'],
    ],
    ['List.org', 'List'],
  ],
  [
    'the empty service name',
    [
      [100, 'A'],
      [100, ''],
    ],
    ['A', ''],
  ],
  [
    'nothing once a name has a line break',
    [
      [100, 'A'],
      [100, 'B\nC'],
      [100, 'D'],
    ],
    null,
  ],
  [
    'everything again on the day after',
    [
      [100, 'B\nC'],
      [101, 'D'],
    ],
    ['D'],
  ],
  [
    'nothing beyond 2,000 characters',
    Array.from({ length: 20 }, (_, at) => [100, `${at}`.padEnd(120)] as const),
    null,
  ],
] as const)('the row of a recipient has %s', (_, votes, services) => {
  expect(servicesAfter(votes)).toEqual(services);
});
