import { DAY_MS } from '../../core/duration.ts';
import { weekdayOf } from '../../core/period.ts';
import { dayText } from './moment.ts';

/** From Monday, as `weekdayOf` counts. */
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

/** A day since 1970-01-01, in the time zone in which the caller counts them: `Tue 3 Nov 2026`. */
export const longDayText = (day: number): string =>
  `${WEEKDAYS[weekdayOf(day)]} ${dayText(day * DAY_MS)} ${new Date(day * DAY_MS).getUTCFullYear()}`;
