import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { NotSentCode } from '../core/game-server-codes.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';

/** Each new connection may be lines in a game server's log, so one that is down is left alone for longer. */
const PAUSES: RetrySchedule = { firstMs: 1_000, longestMs: 60_000 };

/** How long a game server is left alone after a failure: longer with each in a row, until a complete reply comes. */
export class RetryPause<Reason extends NotSentCode> {
  private failures = 0;
  private until = 0;
  private why: Reason | 'between-connections' = 'between-connections';

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  get leftMs(): number {
    return this.failures === 0 ? 0 : Math.max(0, this.until - this.clock.monotonic());
  }

  get reason(): Reason | 'between-connections' {
    return this.why;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /**
   * @param why as it concerns the commands that wait now. After a command whose outcome is unknown that is
   * `between-connections`: what happened to it says nothing about them.
   */
  failed(why: Reason | 'between-connections'): void {
    this.failures += 1;
    this.until = this.clock.monotonic() + retryDelayMs(PAUSES, this.failures, this.random);
    this.why = why;
  }
}
