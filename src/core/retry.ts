import type { Dice } from './dice.ts';

export interface RetrySchedule {
  readonly firstMs: number;
  readonly longestMs: number;
}

/** Doubles from `firstMs` to `longestMs`, plus up to a tenth, so that many do not come back at once. Whole ms. */
export function retryDelayMs({ firstMs, longestMs }: RetrySchedule, failures: number, dice: Dice): number {
  const delayMs = Math.min(firstMs * 2 ** Math.min(failures - 1, 30), longestMs);
  return Math.round(delayMs * (1 + dice.roll() / 10));
}
