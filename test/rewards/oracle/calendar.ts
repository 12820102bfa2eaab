/** Days, weeks (from Monday) and months as whole numbers, and their names. */

import { DAY } from './zone.ts';

export type Per = 'day' | 'week' | 'month';

/** The number of the period that contains a day. Periods in a row have numbers in a row. */
export function periodOf(per: Per, day: number): number {
  if (per === 'day') return day;
  // 1970-01-01 was a Thursday: the third day after a Monday.
  if (per === 'week') return Math.floor((day + 3) / 7);
  const date = new Date(day * DAY);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

const two = (number: number): string => String(number).padStart(2, '0');

/** As occasions spell it: `2026-11-21`, `2026-W47`, `2026-11`. */
export function nameOf(per: Per, period: number): string {
  if (per === 'day') return new Date(period * DAY).toISOString().slice(0, 10);
  if (per === 'week') return isoWeekName(period);
  return `${Math.floor(period / 12)}-${two((period % 12) + 1)}`;
}

/** An ISO week belongs to the year of its Thursday; week 1 is the one with that year's first Thursday. */
function isoWeekName(week: number): string {
  const thursday = week * 7;
  const year = new Date(thursday * DAY).getUTCFullYear();
  const newYear = Date.UTC(year, 0, 1) / DAY;
  return `${year}-W${two(Math.floor((thursday - newYear) / 7) + 1)}`;
}

export const dayNamed = (name: string): number => Date.parse(`${name}T00:00:00Z`) / DAY;

const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

export const weekdayOf = (day: number): Weekday => WEEKDAYS[(((day + 3) % 7) + 7) % 7] as Weekday;
