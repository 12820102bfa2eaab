import type { Random } from './random.ts';

export interface RetrySchedule {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Exponential backoff from `firstMs` to `longestMs`, plus up to a tenth of jitter, in whole milliseconds. */
export function retryDelayMs(
  { firstMs, longestMs }: RetrySchedule,
  failures: number,
  random: Random,
): number {
  const delayMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs);
  return Math.round(delayMs * (1 + random.next() / 10));
}
