const MILLISECONDS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** How a duration is written: `500ms`, `10s`, `5m`, `24h`, `2d`. */
export const DURATION = /^(\d{1,9})(ms|s|m|h|d)$/;

/** Milliseconds, or null for a text that is no duration. */
export function parseDuration(text: string): number | null {
  const [, count, unit = ''] = DURATION.exec(text) ?? [];
  const each = MILLISECONDS[unit];
  return count === undefined || each === undefined ? null : Number(count) * each;
}
