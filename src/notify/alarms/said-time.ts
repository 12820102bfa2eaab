import { localDay, localTime, minuteText } from '../../core/local-time.ts';

/**
 * A time for people, on the day of the message without its date: `14:05 UTC`, `22 Nov 14:05 GMT+1`.
 *
 * @param zone an IANA name.
 */
export function saidTime(at: number, now: number, zone: string): string {
  const date = localDay(at, zone) === localDay(now, zone) ? '' : `${partsOf(at, zone, DATE)} `;
  return `${date}${minuteText(localTime(at, zone).minute)} ${zoneName(at, zone)}`;
}

const DATE = { day: 'numeric', month: 'short' } as const;

const partsOf = (at: number, zone: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, ...options }).format(at);

const zoneName = (at: number, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeZoneName: 'short' })
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')?.value ?? zone;
