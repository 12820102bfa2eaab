export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

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
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
  ['ms', 1],
] as const;

/** A duration for people, in at most two units: `24 h`, `3 min 20 s`, `250 ms`. The sign is dropped. */
export function durationText(ms: number): string {
  const size = Math.abs(Math.round(ms));
  // One day is shown as 24 h, because people call that window so; days are used from two on.
  const first = UNITS.findIndex(([unit, each]) => size >= (unit === 'd' ? 2 * each : each));
  const [unit, each] = UNITS[first] ?? ['s', 1000];
  const whole = Math.floor(size / each);
  const [nextUnit, nextEach] = UNITS[first + 1] ?? ['ms', 1];
  const rest = unit === 'ms' || nextUnit === 'ms' ? 0 : Math.floor((size - whole * each) / nextEach);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${nextUnit}`;
}
