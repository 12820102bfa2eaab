import { DAY_MS } from '../../core/duration.ts';
import { weekdayOf } from '../../core/period.ts';
import { dayText } from './moment.ts';

/** Days are counted from 1970-01-01, in the time zone in which the caller counts them. */
const dateOf = (day: number): Date => new Date(day * DAY_MS);

const MONTH_NAMES = new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'long', year: 'numeric' });
const SHORT_MONTH_NAMES = new Intl.DateTimeFormat('en', { timeZone: 'UTC', month: 'short' });

/** From Monday, as `weekdayOf` counts. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

export const dayOfMonth = (day: number): number => dateOf(day).getUTCDate();

/** `Tue 3 Nov 2026` */
export const longDayText = (day: number): string =>
  `${WEEKDAYS[weekdayOf(day)]} ${dayText(day * DAY_MS)} ${dateOf(day).getUTCFullYear()}`;

/** The month of a day: `November 2026`. */
export const monthText = (day: number): string => MONTH_NAMES.format(dateOf(day));

/** The month of a day: `Nov`. */
export const shortMonthText = (day: number): string => SHORT_MONTH_NAMES.format(dateOf(day));
