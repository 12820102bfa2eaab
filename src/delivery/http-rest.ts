import type { Clock } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';
import type { HttpNotSentReason } from './reasons.ts';

/** As long as after a failed connection by RCON. */
const REST: RetrySchedule = { firstMs: 1_000, longestMs: 60_000 };

/** How long a game server is left alone after a failure, longer with each one in a row. A complete reply ends the row. */
export class Rest {
  private failures = 0;
  private until = 0;
  private why: HttpNotSentReason = 'between-connections';

  constructor(
    private readonly clock: Clock,
    private readonly dice: Dice,
  ) {}

  /** How much of it is left. */
  get leftMs(): number {
    return this.failures === 0 ? 0 : Math.max(0, this.until - this.clock.monotonic());
  }

  get reason(): HttpNotSentReason {
    return this.why;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /** @param why as it concerns the commands that now wait: what became of the one that failed says nothing of them. */
  failed(why: HttpNotSentReason): void {
    this.failures += 1;
    this.until = this.clock.monotonic() + retryDelayMs(REST, this.failures, this.dice);
    this.why = why;
  }
}
