import { DAY_MS } from './duration.ts';

/** Days, weeks from Monday (ISO 8601) and months, each numbered without gaps. */
export const PERS = ['day', 'week', 'month'] as const;
export type Per = (typeof PERS)[number];

/** The first and the last day, both included, as days since 1970-01-01. */
export interface Days {
  readonly from: number;
  readonly to: number;
}

/** 1970-01-01 was a Thursday, so the first whole week began four days later. */
const DAYS_BEFORE_MONDAY = 3;

const dateOf = (day: number): Date => new Date(day * DAY_MS);
const firstOfMonth = (month: number): number => Date.UTC(1970, month) / DAY_MS;

/** The number of the period that a day belongs to. */
export function periodOf(per: Per, day: number): number {
  switch (per) {
    case 'day':
      return day;
    case 'week':
      return Math.floor((day + DAYS_BEFORE_MONDAY) / 7);
    case 'month':
      return (dateOf(day).getUTCFullYear() - 1970) * 12 + dateOf(day).getUTCMonth();
  }
}

export function daysOf(per: Per, period: number): Days {
  switch (per) {
    case 'day':
      return { from: period, to: period };
    case 'week':
      return { from: period * 7 - DAYS_BEFORE_MONDAY, to: period * 7 - DAYS_BEFORE_MONDAY + 6 };
    case 'month':
      return { from: firstOfMonth(period), to: firstOfMonth(period + 1) - 1 };
  }
}

/** The period with a name as `periodName` writes it; null for any other text. */
export function parsePeriod(name: string): { readonly per: Per; readonly period: number } | null {
  const week = /^(\d{4})-W(\d\d)$/.exec(name);
  // The fourth of January is always in the first week.
  const day = week === null ? Date.parse(name) : Date.UTC(Number(week[1]), 0, 4 + 7 * (Number(week[2]) - 1));
  if (Number.isNaN(day)) return null;
  const per = PERS.find((each) => periodName(each, periodOf(each, Math.floor(day / DAY_MS))) === name);
  return per === undefined ? null : { per, period: periodOf(per, Math.floor(day / DAY_MS)) };
}

/** `2026-11-21`, `2026-W47`, `2026-11`. */
export function periodName(per: Per, period: number): string {
  switch (per) {
    case 'day':
      return dateOf(period).toISOString().slice(0, 10);
    case 'week':
      return weekName(period);
    case 'month':
      return dateOf(firstOfMonth(period)).toISOString().slice(0, 7);
  }
}

/** A week belongs to the year of its Thursday. */
function weekName(week: number): string {
  const thursday = daysOf('week', week).from + 3;
  const year = dateOf(thursday).getUTCFullYear();
  const number = Math.floor((thursday - Date.UTC(year, 0) / DAY_MS) / 7) + 1;
  return `${year}-W${String(number).padStart(2, '0')}`;
}

/** From 0 for Monday to 6 for Sunday. */
export const weekdayOf = (day: number): number => (((day + DAYS_BEFORE_MONDAY) % 7) + 7) % 7;

/** The day of a date such as `2026-12-24`; null for a text that is none. */
export function parseDay(text: string): number | null {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || periodName('day', ms / DAY_MS) !== text ? null : ms / DAY_MS;
}
