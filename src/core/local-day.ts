import { DAY_MS } from './duration.ts';

/** Time zones differ from UTC by whole minutes, and their offsets change at whole minutes. */
const MINUTE_MS = 60_000;

interface LocalDays {
  readonly format: Intl.DateTimeFormat;
  minute: number;
  day: number;
}

const byZone = new Map<string, LocalDays>();

/**
 * The number of days from 1970-01-01 to the local date of an instant.
 *
 * @param zone an IANA name.
 */
export function localDay(at: number, zone: string): number {
  const days = byZone.get(zone) ?? localDaysOf(zone);
  const minute = Math.floor(at / MINUTE_MS);
  // Formatting is slow, and votes that arrive together nearly always fall in the same minute, so the last one is kept.
  if (minute !== days.minute) {
    days.day = dayOf(days.format, minute * MINUTE_MS);
    days.minute = minute;
  }
  return days.day;
}

function localDaysOf(zone: string): LocalDays {
  const format = new Intl.DateTimeFormat('en-u-ca-gregory-nu-latn', {
    timeZone: zone,
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  });
  const days = { format, minute: Number.NaN, day: Number.NaN };
  byZone.set(zone, days);
  return days;
}

function dayOf(format: Intl.DateTimeFormat, at: number): number {
  const parts = format.formatToParts(at);
  const value = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(value('year'), value('month') - 1, value('day')) / DAY_MS;
}
