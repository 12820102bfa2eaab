/** The outcome of one attempt. */
export type Outcome = 'delivered' | 'retryable' | 'permanent';

/**
 * A redirect is never followed, because it could lead into a private network (NS-26). The attempt is retried.
 *
 * @param status null if no complete answer came.
 */
export function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'retryable';
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 400 && status < 500 ? 'permanent' : 'retryable';
}

/**
 * How long until an event is retried: the schedule's delay plus jitter of up to a tenth, so that many events are not
 * retried at once. Never less than the schedule's delay. A receiver may ask for up to twice the delay (NS-27).
 *
 * @param failures attempts that have failed, this one included.
 * @param askedMs the delay that the receiver asked for, if any.
 * @param draw a random number from 0 (included) to 1.
 * @returns whole milliseconds, or null after the last retry.
 */
export function retryWaitMs(
  scheduleMs: readonly number[],
  failures: number,
  askedMs: number | null,
  draw: number,
): number | null {
  const delayMs = scheduleMs[failures - 1];
  if (delayMs === undefined) return null;
  const ownMs = Math.round(delayMs * (1 + draw / 10));
  return Math.max(ownMs, Math.min(askedMs ?? 0, 2 * delayMs));
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; null for anything else. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const until = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(until) ? null : Math.max(0, until - now);
}
