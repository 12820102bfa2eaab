import type { Random } from '../core/random.ts';

/** What one attempt came to, by the receiver's answer. */
export type Outcome = 'delivered' | 'retryable' | 'permanent';

/**
 * A redirect is a failure like any other, and is never followed: it may heal, and it may lead inside (NS-26).
 *
 * @param status null where no complete answer came.
 */
export function outcomeOf(status: number | null): Outcome {
  if (status === null) return 'retryable';
  if (status >= 200 && status < 300) return 'delivered';
  return status >= 400 && status < 500 ? 'permanent' : 'retryable';
}

/**
 * How long until an event is tried again: the schedule's delay and up to a tenth more, so that many do not come back
 * at once; never less, so that delays grow as the schedule does. A receiver may ask for up to twice the delay (NS-27).
 *
 * @param failures attempts that have failed, this one included.
 * @param askedMs what the receiver asked for, if it did.
 * @returns whole milliseconds, or null where the retries are spent.
 */
export function retryWaitMs(
  scheduleMs: readonly number[],
  failures: number,
  askedMs: number | null,
  random: Random,
): number | null {
  const delayMs = scheduleMs[failures - 1];
  if (delayMs === undefined) return null;
  const ownMs = Math.round(delayMs * (1 + random.next() / 10));
  return Math.max(ownMs, Math.min(askedMs ?? 0, 2 * delayMs));
}

/** `Retry-After` in milliseconds: seconds or an HTTP date; null for anything else. */
export function readRetryAfter(header: string | null, now: number): number | null {
  if (header === null) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000;
  const until = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(until) ? null : Math.max(0, until - now);
}
