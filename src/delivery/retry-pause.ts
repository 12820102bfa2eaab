import type { Clock } from '../core/clock.ts';
import type { NotSentCode } from '../core/game-server-codes.ts';
import type { Random } from '../core/random.ts';
import { type RetrySchedule, retryDelayMs } from '../core/retry.ts';

/** Each new connection may add lines to a game server's log, so a server that is down is tried less and less often. */
const PAUSES: RetrySchedule = { firstMs: 1_000, longestMs: 60_000 };

/** How long to wait after a failure before the next connection: longer with each failure in a row. */
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

  /** When the next attempt may begin, in monotonic time; null: the last one did not fail. */
  get retryAt(): number | null {
    return this.failures === 0 ? null : this.until;
  }

  get reason(): Reason | 'between-connections' {
    return this.why;
  }

  succeeded(): void {
    this.failures = 0;
  }

  /**
   * @param why the reason for the commands that wait now. After a command with an unknown outcome, pass
   * `between-connections`: what happened to that command is no reason for the others.
   */
  failed(why: Reason | 'between-connections'): void {
    this.failures += 1;
    this.until = this.clock.monotonic() + retryDelayMs(PAUSES, this.failures, this.random);
    this.why = why;
  }
}
