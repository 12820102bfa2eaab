import { type Clock, pause } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { retryDelayMs } from '../../core/retry.ts';
import { type CallResult, faults } from './result.ts';

export interface RetryTerms {
  readonly clock: Clock;
  readonly random: Random;
  /** From the start: a retry that would start later is not made. */
  readonly retryForMs: number;
  readonly signal: AbortSignal | undefined;
}

/** Attempts of one call. Answers with RATE_LIMITED do not count, because they say when to come back. */
const ATTEMPTS = 4;
const RETRY = { firstMs: 1_000, longestMs: 8_000 } as const;
/** The most that a timer can hold; with more it would fire at once. */
const RETRY_FOR_MAX_MS = 2 ** 31 - 1;

/** Calls `ask` until it succeeds or a retry is pointless. Returns the last result, or null if the signal aborted it. */
export async function withRetries<Value>(
  ask: () => Promise<CallResult<Value>>,
  { clock, random, retryForMs, signal }: RetryTerms,
): Promise<CallResult<Value> | null> {
  const givesUpAt = clock.monotonic() + Math.min(retryForMs, RETRY_FOR_MAX_MS);
  let failures = 0;
  while (!signal?.aborted) {
    const result = await ask();
    if (!isRateLimited(result)) failures++;
    const delayMs = shouldRetry(result, failures) ? delayAfter(result, failures, random) : null;
    if (delayMs === null || clock.monotonic() + delayMs > givesUpAt) return result;
    await pause(clock, delayMs, signal);
  }
  return null;
}

const shouldRetry = (result: CallResult<unknown>, failures: number): boolean =>
  isRateLimited(result) || (mayPass(result) && failures < ATTEMPTS);

const isRateLimited = (result: CallResult<unknown>): boolean =>
  result.kind === 'refused' && result.code === 'RATE_LIMITED';

const mayPass = (result: CallResult<unknown>): boolean =>
  (result.kind === 'refused' && result.code === 'INTERNAL_ERROR') ||
  (result.kind === 'unreachable' && faults[result.code].mayPass);

/** The wait that the service asked for; otherwise one that grows with each failure. */
function delayAfter(result: CallResult<unknown>, failures: number, random: Random): number {
  const seconds = 'retryAfterSeconds' in result ? result.retryAfterSeconds : null;
  return seconds === null ? retryDelayMs(RETRY, failures, random) : seconds * 1000;
}
