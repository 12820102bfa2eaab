import type { Clock } from './clock.ts';
import { timeLimit } from './time-limit.ts';

/** What interrupts work before it has a result: its time limit, or the signal. */
export type Interruption = 'time-limit' | 'abort';

export interface InterruptibleLimits<Result> {
  readonly clock: Clock;
  /** See `timeLimit`. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The result of work that was interrupted. */
  readonly interrupted: (by: Interruption) => Result;
}

/**
 * Starts work and resolves with the first result: the work's own, which it passes to `end`, or that of an interruption.
 * It then removes the timer and the listener on the signal, and ignores later results.
 */
export function interruptible<Result>(
  { clock, limitMs, signal, interrupted }: InterruptibleLimits<Result>,
  start: (end: (result: Result) => void) => void,
): Promise<Result> {
  return new Promise((resolve) => {
    const end = (result: Result): void => {
      cancelLimit();
      signal?.removeEventListener('abort', abort);
      resolve(result);
    };
    const abort = (): void => end(interrupted('abort'));
    const cancelLimit = timeLimit(clock, limitMs, () => end(interrupted('time-limit')));
    signal?.addEventListener('abort', abort);
    start(end);
    if (signal?.aborted) abort();
  });
}
