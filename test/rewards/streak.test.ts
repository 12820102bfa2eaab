import { describe, expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import type { ReachedStreak } from '../../src/core/occasion.ts';
import { streak } from '../../src/rewards/streak.ts';
import { historyWith, judging, rewardWith, vote, waysIn } from '../support/rewards.ts';
import { faultsOfIf } from './if-faults.ts';

const schema = streak.schema(schemaKit);
/** The day of a date in June 2026, which begins on a Monday. */
const june = (date: number): number => 20_604 + date;
const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);
const reached = (length: number, date: number): ReachedStreak => ({ per: 'day', length, period: june(date) });

interface Facts {
  readonly paid?: readonly ReachedStreak[];
  /** Votes of a day that count in totals. */
  readonly counted?: number;
  /** The date of the reward's start, and those voted on by then. */
  readonly startedOn?: number;
  readonly atStart?: readonly number[];
}

/** A vote for a date in June 2026, by a player who has then voted on these dates. */
const judged = (written: unknown, dates: readonly number[], date: number, facts: Facts = {}) => {
  const { paid = [], counted = 1, startedOn = 1, atStart = [] } = facts;
  const days = (all: readonly number[]) => all.map((each) => ({ day: june(each), counted }));
  const runs = (all: readonly number[]) => all.map((each) => ({ from: june(each), to: june(each) }));
  return streak.holds(
    schema.parse(written),
    judging({
      vote: vote({ day: june(date) }),
      history: historyWith({ votedRuns: () => runs(dates), countedOn: () => days(dates) }),
      reward: rewardWith({
        startDay: june(startedOn),
        paidStreaks: () => paid,
        countedOnAtStart: () => days(atStart),
      }),
    }),
  );
};

const waysFor = (...of: Parameters<typeof judged>) => waysIn(judged(...of));

describe('a streak', () => {
  test('is reached on its last day, not before and not again', () => {
    expect(waysFor(7, range(2, 7), 7)).toBeNull();
    expect(waysFor(7, range(2, 8), 8)).toEqual([['streak 7 reached 2026-06-08']]);
    expect(waysFor(7, range(2, 9), 9, { paid: [reached(7, 8)] })).toBeNull();
  });

  test('that was held back is due with any later vote of its run, for the day that reached it', () => {
    expect(waysFor(7, range(2, 10), 10)).toEqual([['streak 7 reached 2026-06-08']]);
  });

  test('begins again after a missed day, and is then paid again', () => {
    const dates = [...range(2, 8), ...range(10, 16)];
    expect(waysFor(7, dates, 16, { paid: [reached(7, 8)] })).toEqual([['streak 7 reached 2026-06-16']]);
  });

  test('is completed by a late vote in its middle', () => {
    expect(waysFor(7, range(2, 8), 5)).toEqual([['streak 7 reached 2026-06-08']]);
  });

  test('is paid for its multiples with `repeat` only', () => {
    const facts = { paid: [reached(7, 8)] };
    expect(waysFor(7, range(2, 15), 15, facts)).toBeNull();
    expect(waysFor({ length: 7, repeat: true }, range(2, 15), 15, facts)).toEqual([
      ['streak 14 reached 2026-06-15'],
    ]);
  });

  test('of two runs of ten that a late vote joins pays 14 and 21; 7 was paid in both', () => {
    const facts = { paid: [reached(7, 7), reached(7, 18)] };
    expect(waysFor({ length: 7, repeat: true }, range(1, 21), 11, facts)).toEqual([
      ['streak 14 reached 2026-06-14', 'streak 21 reached 2026-06-21'],
    ]);
  });
});

describe('a streak with one forgiven day in seven', () => {
  const rule = { length: 7, forgive: { missed: 1, in: 7 } };

  test('is not lengthened by the missed day', () => {
    expect(waysFor(rule, [3, ...range(5, 9)], 9)).toBeNull();
    expect(waysFor(rule, [3, ...range(5, 10)], 10)).toEqual([['streak 7 reached 2026-06-10']]);
  });

  test('of days 3 and 5 to 10 is not changed by a late vote for day 1', () => {
    expect(waysFor(rule, [1, 3, ...range(5, 10)], 1, { paid: [reached(7, 10)] })).toBeNull();
  });

  test('ends with a second missed day among the seven', () => {
    expect(waysFor(rule, [1, 3, ...range(5, 9)], 9)).toBeNull();
  });
});

describe('a streak of weeks or months', () => {
  test('needs a vote in each, and names its period', () => {
    expect(waysFor({ length: 3, per: 'week' }, [7, 8, 20], 20)).toEqual([['streak 3 reached 2026-W25']]);
    expect(waysFor({ length: 3, per: 'week' }, [7, 20], 20)).toBeNull();
    expect(waysFor({ length: 2, per: 'month' }, [-10, 20], 20)).toEqual([['streak 2 reached 2026-06']]);
  });
});

test('with `votes`, a day needs so many that count in totals', () => {
  const rule = { length: 2, votes: 2 };
  expect(waysFor(rule, [1, 2], 2, { counted: 1 })).toBeNull();
  expect(waysFor(rule, [1, 2], 2, { counted: 2 })).toEqual([['streak 2 reached 2026-06-02']]);
});

test('without it, a vote within the cooldown is enough', () => {
  expect(waysFor(2, [1, 2], 2, { counted: 0 })).toEqual([['streak 2 reached 2026-06-02']]);
});

test('what was reached before the reward started is not paid, and the run then in progress counts', () => {
  const started = { startedOn: 9, atStart: range(2, 8) };
  expect(waysFor(7, range(2, 9), 9, started)).toBeNull();
  expect(waysFor(10, range(2, 11), 11, started)).toEqual([['streak 10 reached 2026-06-11']]);
});

test('explains how long the run is and how long it has to be next, or that it was paid before', () => {
  expect(streak.explain.notHeld(judged(7, range(3, 8), 8).because)).toMatch(/^6 .*7/);
  const paid = [reached(7, 9)];
  const repeated = judged({ length: 7, repeat: true }, range(3, 10), 10, { paid });
  expect(streak.explain.notHeld(repeated.because)).toMatch(/^8 .*14/);
  expect(repeated.because).toEqual({ run: 8, length: 14, per: 'day' });
  const once = judged(7, range(3, 10), 10, { paid });
  expect(once.because).toEqual({ run: 8, length: 7, per: 'day' });
  expect(streak.explain.notHeld(once.because)).toMatch(/^8 .*7 .*before/);
});

test.each([
  [1, 'config-value streak'],
  ['7', 'config-value streak'],
  [{ length: 7, per: 'year' }, 'config-value streak.per'],
  [{ length: 7, peer: 'day' }, 'config-unknown-key streak.peer'],
  [{ length: 7, forgive: { missed: 7, in: 7 } }, 'config-value streak.forgive'],
  [{ length: 7, votes: 0 }, 'config-value streak.votes'],
])('refuses %j', async (written, fault) => {
  expect(await faultsOfIf({ streak: written })).toEqual([fault]);
});
