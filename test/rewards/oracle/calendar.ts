/**
 * Local days and times of a time zone, from nothing but what `Intl.DateTimeFormat` prints; and days, weeks (from Monday) and months as
 * whole numbers, with their names.
 */

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export interface LocalTime {
  /** Days since 1970-01-01 of the date that a calendar on the wall shows. */
  readonly day: number;
  /** Milliseconds that a clock on the wall shows past 00:00. */
  readonly sinceMidnight: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known) return known;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(timeZone, format);
  return format;
}

/** What the clock on the wall shows, as if it were UTC. */
function shown(timeZone: string, at: number): number {
  const printed = formatOf(timeZone).format(at).match(/\d+/g) as string[];
  const [month = 0, day = 0, year = 0, hour = 0, minute = 0, second = 0] = printed.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) + (at - Math.floor(at / 1000) * 1000);
}

export function localTime(timeZone: string, at: number): LocalTime {
  const wall = shown(timeZone, at);
  const day = Math.floor(wall / DAY);
  return { day, sinceMidnight: wall - day * DAY };
}

/**
 * The first instant at which the clock on the wall shows this day and time. "A beginning that the clock skips is the
 * first instant after it."
 */
export function firstInstant(timeZone: string, day: number, sinceMidnight: number): number {
  const wall = day * DAY + sinceMidnight;
  const key = `${timeZone} ${wall}`;
  const known = instants.get(key) ?? instantShowing(timeZone, wall);
  instants.set(key, known);
  return known;
}

/** Printing a time is by far the slowest part of a recomputation, and the same few days are asked for again and again. */
const instants = new Map<string, number>();

function instantShowing(timeZone: string, wall: number): number {
  const offsetAt = (at: number): number => shown(timeZone, at) - at;
  const [before, after] = [wall - DAY, wall + DAY];
  const candidates = [wall - offsetAt(before), wall - offsetAt(after)];
  const exact = candidates.filter((at) => shown(timeZone, at) === wall);
  return exact.length > 0 ? Math.min(...exact) : changeBetween(before, after, offsetAt);
}

/** The instant at which the offset changes. */
function changeBetween(before: number, after: number, offsetAt: (at: number) => number): number {
  let [low, high] = [before, after];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle) === offsetAt(before)) low = middle;
    else high = middle;
  }
  return high;
}

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
