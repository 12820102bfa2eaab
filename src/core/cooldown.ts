import { durationText } from './duration.ts';
import { instantOf, localDay, minuteText } from './local-time.ts';

/** How often a player's vote on a site is rewarded (rule 3). */
export type Cooldown =
  /** A rewarded vote blocks others that were cast less than this many milliseconds before or after it. */
  | { readonly kind: 'span'; readonly ms: number }
  /** One rewarded vote for each day. */
  | CalendarDay;

/** Days that begin at the same local time. */
export interface CalendarDay {
  readonly kind: 'day';
  /** Minutes after midnight, from 0 to 1439. */
  readonly beginsAt: number;
  /** An IANA name. */
  readonly zone: string;
}

/** A time span from `start` (included) to `end` (excluded), in milliseconds since the Unix epoch. */
export interface Window {
  readonly start: number;
  readonly end: number;
}

/** `24 h`, or `a day that begins at 04:00 in Europe/Berlin`. */
export const cooldownText = (cooldown: Cooldown): string =>
  cooldown.kind === 'span'
    ? durationText(cooldown.ms)
    : `a day that begins at ${minuteText(cooldown.beginsAt)} in ${cooldown.zone}`;

/** The window that a vote takes, or would take. */
export const windowOf = (castAt: number, cooldown: Cooldown): Window =>
  cooldown.kind === 'span' ? { start: castAt, end: castAt + cooldown.ms } : dayAround(castAt, cooldown);

const isWithin = (at: number, { start, end }: Window): boolean => at >= start && at < end;

/** Whether two votes are too close for both to be rewarded. */
export const areTooClose = (castAt: number, other: number, cooldown: Cooldown): boolean =>
  cooldown.kind === 'span'
    ? Math.abs(castAt - other) < cooldown.ms
    : isWithin(other, dayAround(castAt, cooldown));

/** The latest start of a span before a vote in which every vote that is too close to it was cast. */
export const closeSince = (castAt: number, cooldown: Cooldown): number =>
  cooldown.kind === 'span' ? castAt - cooldown.ms : dayAround(castAt, cooldown).start - 1;

/** The last day that was computed for each kind of day: votes that arrive together nearly always fall in the same. */
const lastDays = new Map<string, Window>();

function dayAround(at: number, { beginsAt, zone }: CalendarDay): Window {
  const key = `${beginsAt} ${zone}`;
  const last = lastDays.get(key);
  if (last !== undefined && isWithin(at, last)) return last;
  const found = findDay(at, (day) => instantOf({ day, minute: beginsAt }, zone), localDay(at, zone));
  lastDays.set(key, found);
  return found;
}

function findDay(at: number, beginOf: (day: number) => number, around: number): Window {
  const day = [around + 1, around].find((each) => beginOf(each) <= at) ?? around - 1;
  return { start: beginOf(day), end: beginOf(day + 1) };
}
