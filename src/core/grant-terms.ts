/** On what terms the grants of a reward are paid, besides `when`. */
export interface GrantTerms {
  /** A grant is not paid earlier than this after it was made; 0: at once. */
  readonly delayMs: number;
  /** How long a grant may wait for its first command, from the end of the delay on; null: for ever. */
  readonly expiresAfterMs: number | null;
}

/** The terms of a reward that sets none of these keys, so that its grants need nothing stored. */
export const NO_TERMS: GrantTerms = { delayMs: 0, expiresAfterMs: null };

/** A time in which nothing was paid; `end` is null while it lasts. */
export interface PausedSpan {
  readonly start: number;
  readonly end: number | null;
}

/**
 * When a grant expires that may wait for `allowedMs` from `from` on. Time spent in a pause does not count. While a pause
 * lasts, the answer is the earliest possible time, which is later than `now`.
 *
 * @param pauses may overlap.
 */
export function expiryOf(
  from: number,
  allowedMs: number,
  pauses: readonly PausedSpan[],
  now: number,
): number {
  let at = from;
  let leftMs = allowedMs;
  for (const { start, end } of pauses.toSorted((a, b) => a.start - b.start)) {
    if (start >= at + leftMs) break;
    leftMs -= Math.max(0, start - at);
    at = Math.max(at, start);
    if (end === null) return Math.max(at, now) + leftMs;
    at = Math.max(at, end);
  }
  return at + leftMs;
}
