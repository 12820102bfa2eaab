import { expect, test } from 'vitest';
import { instantOf, localDay, localTime, minuteText, parseMinute } from '../../src/core/local-time.ts';

/** The date that is this number of days after 1970-01-01. */
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

test('the local day of an instant counts days since 1970-01-01', () => {
  expect(localDay(0, 'UTC')).toBe(0);
  expect(localDay(-1, 'UTC')).toBe(-1);
  expect(localDay(Date.parse('2026-11-21T23:59:59.999Z'), 'UTC')).toBe(20_778);
});

test.each([
  // Berlin: 23 hours on 29 March, 25 hours on 25 October.
  ['Europe/Berlin', '2026-03-28T22:59:59.999Z', '2026-03-28'],
  ['Europe/Berlin', '2026-03-28T23:00:00.000Z', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29T21:59:59.999Z', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29T22:00:00.000Z', '2026-03-30'],
  ['Europe/Berlin', '2026-10-24T21:59:59.999Z', '2026-10-24'],
  ['Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25'],
  ['Europe/Berlin', '2026-10-25T22:59:59.999Z', '2026-10-25'],
  ['Europe/Berlin', '2026-10-25T23:00:00.000Z', '2026-10-26'],
  // Santiago's clocks change at midnight: 23:00 on 4 April comes twice, 5 April starts once.
  ['America/Santiago', '2026-04-05T02:30:00.000Z', '2026-04-04'],
  ['America/Santiago', '2026-04-05T03:30:00.000Z', '2026-04-04'],
  ['America/Santiago', '2026-04-05T03:59:59.999Z', '2026-04-04'],
  ['America/Santiago', '2026-04-05T04:00:00.000Z', '2026-04-05'],
  ['Asia/Kathmandu', '2026-06-01T18:14:59.999Z', '2026-06-01'],
  ['Asia/Kathmandu', '2026-06-01T18:15:00.000Z', '2026-06-02'],
  ['Pacific/Kiritimati', '2026-06-01T10:00:00.000Z', '2026-06-02'],
  ['America/New_York', '2028-02-29T12:00:00.000Z', '2028-02-29'],
  ['America/New_York', '2028-03-01T04:59:59.999Z', '2028-02-29'],
])('the local day of an instant in %s at %s is %s', (zone, iso, date) => {
  expect(dateOf(localDay(Date.parse(iso), zone))).toBe(date);
});

test('the local day of an instant does not depend on the previous query', () => {
  const midnight = Date.parse('2026-06-01T22:00:00Z');
  const asked = [midnight - 1, midnight, midnight - 1, midnight + 59_999, midnight - 60_001];
  const days = asked.map((at) => dateOf(localDay(at, 'Europe/Berlin')));
  expect(days).toEqual(['2026-06-01', '2026-06-02', '2026-06-01', '2026-06-02', '2026-06-01']);
});

test.each([
  ['UTC', '2026-06-01T00:00:59.999Z', 0],
  ['Europe/Berlin', '2026-06-01T21:59:00Z', 23 * 60 + 59],
  ['Europe/Berlin', '2026-06-01T22:00:00Z', 0],
  ['Asia/Kathmandu', '2026-06-01T00:00:00Z', 5 * 60 + 45],
  ['America/St_Johns', '2026-01-01T12:00:00Z', 8 * 60 + 30],
])('the local time of an instant in %s at %s is %i minutes after midnight', (zone, iso, minute) => {
  expect(localTime(Date.parse(iso), zone).minute).toBe(minute);
});

test('the local time of an instant and back is the same instant, each hour of a year, unless the time comes twice', () => {
  const start = Date.parse('2026-01-01T00:00:00Z');
  const twice: string[] = [];
  for (let hour = 0; hour < 8760; hour += 1) {
    const at = start + hour * 3_600_000;
    if (instantOf(localTime(at, 'Europe/Berlin'), 'Europe/Berlin') !== at)
      twice.push(new Date(at).toISOString());
  }
  expect(twice).toEqual(['2026-10-25T01:00:00.000Z']);
});

test('minutes after midnight are written as a time of day', () => {
  expect([0, 245, 1439].map(minuteText)).toEqual(['00:00', '04:05', '23:59']);
  expect(['00:00', '04:05', '23:59'].map(parseMinute)).toEqual([0, 245, 1439]);
  expect(['24:00', '4:05', '12:60', '', '12'].map(parseMinute)).toEqual([null, null, null, null, null]);
});
