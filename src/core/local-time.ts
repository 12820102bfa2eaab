import { DAY_MS } from './duration.ts';

/** Time zones differ from UTC by whole minutes, and their offsets change at whole minutes. */
const MINUTE_MS = 60_000;

/** What a clock on the wall shows. */
export interface LocalTime {
  /** Days from 1970-01-01 to the local date. */
  readonly day: number;
  /** Minutes after midnight, from 0 to 1439. */
  readonly minute: number;
}

/** Whether it is the name of a time zone. */
export function isZone(name: string | undefined): name is string {
  try {
    return name !== undefined && new Intl.DateTimeFormat('en', { timeZone: name }) !== null;
  } catch {
    return false;
  }
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  /** By minutes since the Unix epoch, those that were asked for. */
  readonly shown: Map<number, LocalTime>;
}

/** Votes arrive in one minute and were cast in a few around it. */
const MINUTES_KEPT = 16;

const zones = new Map<string, Zone>();

/**
 * The local date and time of an instant.
 *
 * @param zone an IANA name.
 */
export function localTime(at: number, zone: string): LocalTime {
  const known = zones.get(zone) ?? zoneOf(zone);
  const minute = Math.floor(at / MINUTE_MS);
  const before = known.shown.get(minute);
  if (before !== undefined) return before;
  // Formatting is slow: some 30 µs.
  const shown = shownBy(known.format, minute * MINUTE_MS);
  if (known.shown.size >= MINUTES_KEPT) known.shown.clear();
  known.shown.set(minute, shown);
  return shown;
}

/** `04:00` */
export const minuteText = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');

/** Minutes after midnight, or null for a text that is not a time from 00:00 to 23:59. */
export function parseMinute(text: string): number | null {
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  return hour === undefined ? null : Number(hour) * 60 + Number(minute);
}

/** The number of days from 1970-01-01 to the local date of an instant. */
export const localDay = (at: number, zone: string): number => localTime(at, zone).day;

/**
 * The instant at which a local date and time begins: the first of two where the clock is set back, and the first
 * instant after the gap where the clock skips that time.
 */
export function instantOf({ day, minute }: LocalTime, zone: string): number {
  const asUtc = day * DAY_MS + minute * MINUTE_MS;
  const before = asUtc - offsetAt(asUtc - DAY_MS, zone);
  const after = asUtc - offsetAt(asUtc + DAY_MS, zone);
  const found = [before, after].sort((a, b) => a - b).find((at) => at + offsetAt(at, zone) === asUtc);
  return found ?? changeBetween(after, before, zone);
}

/** What is added to UTC to get local time, in milliseconds. */
function offsetAt(at: number, zone: string): number {
  const { day, minute } = localTime(at, zone);
  return day * DAY_MS + minute * MINUTE_MS - Math.floor(at / MINUTE_MS) * MINUTE_MS;
}

/** The first instant with the offset of `end`. The offset changes once between the two. */
function changeBetween(start: number, end: number, zone: string): number {
  let [low, high] = [start, end];
  while (high - low > MINUTE_MS) {
    const middle = Math.floor((low + high) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle, zone) === offsetAt(end, zone)) high = middle;
    else low = middle;
  }
  return high;
}

function zoneOf(zone: string): Zone {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn-hc-h23', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  const known = { format, shown: new Map() };
  zones.set(zone, known);
  return known;
}

function shownBy(format: Intl.DateTimeFormat, at: number): LocalTime {
  const parts = format.formatToParts(at);
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return {
    day: Date.UTC(value('year'), value('month') - 1, value('day')) / DAY_MS,
    minute: value('hour') * 60 + value('minute'),
  };
}
