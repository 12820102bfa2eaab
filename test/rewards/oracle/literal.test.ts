import { expect, test } from 'vitest';
import { HOUR, nameOf, periodOf } from './calendar.ts';
import { literalCases } from './literal.ts';
import { type Granted, type RewardResult, recompute } from './oracle.ts';
import { runOf, widestStretches } from './standing.ts';
import { cut, overlap, windowOf } from './votes.ts';

const labelOf = ({ occasion, choice, prize, otherwise }: Granted): string =>
  [occasion, choice, prize && `prize ${prize}`, otherwise && 'otherwise']
    .filter((part) => typeof part === 'string')
    .join(' > ');

const grantsOf = (rewards: readonly RewardResult[]): Record<string, string[]> =>
  Object.fromEntries(
    rewards
      .filter(({ granted }) => granted.length > 0)
      .map(({ name, granted }) => [name, granted.map(labelOf)]),
  );

const reasonsOf = (rewards: readonly RewardResult[], names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(names.map((name) => [name, rewards.find((reward) => reward.name === name)?.why]));

test.each(literalCases)('$name', ({ history, steps }) => {
  const events = steps.map(({ event }) => event);
  const { results } = recompute({ ...history, events }, (vote) => history.draws?.[vote] ?? 0);
  const seen = steps.map(({ why = {} }, index) => {
    const result = results[index];
    if (!result) return null;
    const { decision, rewards } = result;
    return { decision, paid: grantsOf(rewards), why: reasonsOf(rewards, Object.keys(why)) };
  });
  const expected = steps.map(({ event, decision = 'rewarded', paid = {}, why = {} }) =>
    event.kind === 'vote' ? { decision, paid, why } : null,
  );
  expect(seen).toEqual(expected);
});

const at = Date.parse;
const window = (start: string, end: string) => ({ start: at(start), end: at(end) });

test.each([
  ['Europe/Berlin', '2026-03-29T12:00:00Z', 23],
  ['Europe/Berlin', '2026-10-25T12:00:00Z', 25],
  ['America/New_York', '2026-03-08T16:00:00Z', 23],
  ['America/New_York', '2026-11-01T16:00:00Z', 25],
  ['Africa/Cairo', '2026-04-24T12:00:00Z', 23],
  ['UTC', '2026-03-29T12:00:00Z', 24],
])('in %s, the calendar day around %s has %d hours', (timeZone, castAt, hours) => {
  const { start, end } = windowOf(
    { timeZone, sites: { A: { cooldown: 'day' } }, rewards: [] },
    'A',
    at(castAt),
  );
  expect((end - start) / HOUR).toBe(hours);
});

test('a day that begins at a time which the clock shows twice begins at the first of them', () => {
  const config = { timeZone: 'Europe/Berlin', sites: { A: { cooldown: 'day 02:30' } }, rewards: [] };
  const expected = window('2026-10-25T02:30:00+02:00', '2026-10-26T02:30:00+01:00');
  expect(windowOf(config, 'A', at('2026-10-25T02:45:00+01:00'))).toEqual(expected);
});

test('windows that only touch do not overlap', () => {
  const first = window('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z');
  expect(overlap(first, window('2026-11-21T00:00:00Z', '2026-11-22T00:00:00Z'))).toBe(false);
  expect(overlap(first, window('2026-11-20T23:59:59Z', '2026-11-22T00:00:00Z'))).toBe(true);
});

test('a stored window is cut at a new one, and keeps the side with its cast time', () => {
  const stored = window('2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z');
  const taken = window('2026-11-20T10:00:00Z', '2026-11-20T22:00:00Z');
  expect(cut(stored, at('2026-11-20T00:00:00Z'), taken)).toEqual(
    window('2026-11-20T00:00:00Z', '2026-11-20T10:00:00Z'),
  );
  expect(cut(stored, at('2026-11-20T23:00:00Z'), taken)).toEqual(
    window('2026-11-20T22:00:00Z', '2026-11-21T00:00:00Z'),
  );
});

test.each([
  ['2026-01-01', '2026-W01'],
  ['2024-12-30', '2025-W01'],
  ['2023-01-01', '2022-W52'],
  ['2021-01-03', '2020-W53'],
  ['1970-01-01', '1970-W01'],
])('the day %s is in the week %s', (day, week) => {
  expect(nameOf('week', periodOf('week', at(day) / (24 * HOUR)))).toBe(week);
});

const FORGIVE = { missed: 1, in: 7 };
const DAYS = new Set([3, 5, 6, 7, 8, 9, 10]);

test('the run of a day counts the voted days of the longest stretch that ends on it', () => {
  expect([3, 5, 10].map((day) => runOf(DAYS, day, { missed: 0, in: 1 }))).toEqual([1, 1, 6]);
  expect([3, 5, 10].map((day) => runOf(DAYS, day, FORGIVE))).toEqual([1, 2, 7]);
  expect(runOf(new Set([...DAYS, 1]), 10, FORGIVE)).toBe(7);
  expect(runOf(new Set([...DAYS, 2]), 10, FORGIVE)).toBe(8);
});

test('the widest stretch around a day also reaches over forgiven misses, at its ends too', () => {
  expect(widestStretches(DAYS, 6, { missed: 0, in: 1 })).toEqual([{ from: 5, to: 10 }]);
  expect(widestStretches(DAYS, 6, FORGIVE)).toEqual([{ from: 3, to: 11 }]);
});

test('two stretches around a day that are equally wide are both the widest', () => {
  const days = Array.from({ length: 20 }, (_, index) => index + 1).filter((day) => ![3, 9, 15].includes(day));
  expect(widestStretches(new Set(days), 11, FORGIVE)).toEqual([
    { from: 10, to: 20 },
    { from: 4, to: 14 },
  ]);
});
