import { countText } from './list-text.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** How often a process that records votes says that it still runs. */
export const HEARTBEAT_MS = MINUTE_MS;
/** Votes that were cast longer than this before their service got its entry are not paid. */
export const UNLISTED_PAID_MS = 7 * DAY_MS;

const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** A duration as operators write it: `500ms`, `10s`, `5m`, `24h`, `2d`. */
export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Milliseconds, or null for a text that is not a duration. */
export function parseDuration(text: string): number | null {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const each = MILLISECONDS[unit];
  return count === undefined || each === undefined ? null : Number(count) * each;
}

const UNITS = [
  ['d', 86_400_000, 'day'],
  ['h', 3_600_000, 'hour'],
  ['min', 60_000, 'minute'],
  ['s', 1000, 'second'],
  ['ms', 1, 'millisecond'],
] as const;

/** A duration for people, in at most two units: `24 h`, `3 min 20 s`, `250 ms`. The sign is dropped. */
export const durationText = (ms: number): string =>
  partsOf(ms)
    .map(([count, { short }]) => `${count} ${short}`)
    .join(' ');

/** The same in whole words: `24 hours`, `3 minutes 20 seconds`. */
export const durationWords = (ms: number): string =>
  partsOf(ms)
    .map(([count, { long }]) => countText(count, long))
    .join(' ');

type Part = readonly [count: number, unit: { readonly short: string; readonly long: string }];

function partsOf(ms: number): readonly Part[] {
  const size = Math.abs(Math.round(ms));
  // One day is shown as 24 h, because people call that window so; days are used from two on.
  const first = UNITS.findIndex(([unit, each]) => size >= (unit === 'd' ? 2 * each : each));
  const [short, each, long] = UNITS[first] ?? ['s', 1000, 'second'];
  const whole = Math.floor(size / each);
  const [nextShort, nextEach, nextLong] = UNITS[first + 1] ?? ['ms', 1, 'millisecond'];
  const rest = short === 'ms' || nextShort === 'ms' ? 0 : Math.floor((size - whole * each) / nextEach);
  const part: Part = [whole, { short, long }];
  return rest === 0 ? [part] : [part, [rest, { short: nextShort, long: nextLong }]];
}
