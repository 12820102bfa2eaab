import { expect, test } from 'vitest';
import { instantOf, localDay, localTime, minuteText, parseMinute } from '../../src/core/local-time.ts';

/** The date that is this number of days after 1970-01-01. */
const dateOf = (day: number): string => new Date(day * 86_400_000).toISOString().slice(0, 10);

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
