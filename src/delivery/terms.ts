import type { Clock } from '../core/clock.ts';
import { CLOCK_TOLERANCE_MS } from '../core/clock-doubt.ts';
import { type ClockReading, readingOf } from '../core/clock-reading.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { GrantLedger } from '../ledger/ledger.ts';

/** How long a clock that was set ahead is not believed, if no vote shows that it is wrong. */
const DISTRUST_MS = HOUR_MS;

/** How far wall time went ahead of the time that passed, awake or asleep. */
const aheadMs = (before: ClockReading, now: ClockReading): number =>
  now.wall - before.wall - (now.monotonic - before.monotonic) - ((now.sleptMs ?? 0) - (before.sleptMs ?? 0));

/**
 * Ends the delays of grants and lets grants expire, on all game servers at once: one that cannot be reached, or is not
 * asked because nothing is to be paid there, needs no turn for it.
 */
export class Terms {
  private last: ClockReading | null = null;
  /** In monotonic milliseconds. */
  private distrustedUntil = 0;

  constructor(
    private readonly ledger: Pick<GrantLedger, 'hasTermsDue' | 'applyTerms'>,
    private readonly clock: Clock,
  ) {}

  /**
   * @param isStopped asked between two portions.
   * @returns whether grants can be paid now whose delay was not over before. Rejects with the ledger's Problem.
   */
  async apply(isStopped: () => boolean): Promise<boolean> {
    if (this.isClockDistrusted()) return false;
    if (!(await this.ledger.hasTermsDue(this.clock.now()))) return false;
    let hasEnded = false;
    for (let hasMore = true; hasMore && !isStopped(); ) {
      const applied = await this.ledger.applyTerms(this.clock.now());
      hasEnded ||= applied.ended > 0;
      hasMore = applied.hasMore;
    }
    return hasEnded;
  }

  /**
   * What has expired cannot be paid again, and a clock that is set ahead by mistake would let everything expire. The next
   * vote shows whether it is wrong (rule 4), and then the ledger itself lets nothing expire.
   */
  private isClockDistrusted(): boolean {
    const before = this.last;
    const now = readingOf(this.clock);
    this.last = now;
    if (before !== null && aheadMs(before, now) > CLOCK_TOLERANCE_MS)
      this.distrustedUntil = now.monotonic + DISTRUST_MS;
    return now.monotonic < this.distrustedUntil;
  }
}
