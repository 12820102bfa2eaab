import type { Clock } from '../../core/clock.ts';
import { Problem } from '../../core/problem.ts';
import { timeLimit } from '../../core/time-limit.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** `ready`, or a code that says why votes cannot be stored: that of a Problem, or `ledger-slow`. */
export type Readiness = string;

const PATIENCE_MS = 2_000;

/** Whether votes can be stored now: asks the connection that stores them. Never rejects. */
export function readiness(ledger: Pick<Ledger, 'pauses'>, clock: Clock): Promise<Readiness> {
  return new Promise((resolve) => {
    const cancel = timeLimit(clock, PATIENCE_MS, () => resolve('ledger-slow'));
    const end = (found: Readiness): void => {
      cancel();
      resolve(found);
    };
    ledger.pauses().then(
      () => end('ready'),
      (error: unknown) => end(error instanceof Problem ? error.code : 'bug'),
    );
  });
}
