import type { Clock } from '../core/clock.ts';
import { CLOCK_TOLERANCE_MS } from '../core/clock-doubt.ts';
import { type ClockReading, readingOf } from '../core/clock-reading.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { Ledger } from '../ledger/ledger.ts';

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
  /** When the ledger has to be asked; null: not before `forget`. */
  private nextAt: number | null = 0;

  constructor(
    private readonly ledger: Pick<Ledger, 'nextTermAt' | 'applyTerms'>,
    private readonly clock: Clock,
  ) {}

  /** Call this when grants were made or changed. */
  forget(): void {
    this.nextAt = 0;
  }

  /**
   * @param isStopped asked between two portions.
   * @returns whether grants can be paid now whose delay was not over before. Rejects with the ledger's Problem.
   */
  async apply(isStopped: () => boolean): Promise<boolean> {
    if (this.isClockDistrusted()) return false;
    if (this.nextAt === null || this.nextAt > this.clock.now()) return false;
    // Before the ledger is asked: `forget` may be called until it has answered.
    this.nextAt = null;
    try {
      return await this.applyDue(isStopped);
    } catch (error) {
      this.forget();
      throw error;
    }
  }

  private async applyDue(isStopped: () => boolean): Promise<boolean> {
    const dueAt = await this.ledger.nextTermAt(this.clock.now());
    if (dueAt === null || dueAt > this.clock.now()) {
      this.nextAt = this.nextAt === 0 ? 0 : dueAt;
      return false;
    }
    let hasEnded = false;
    for (let hasMore = true; hasMore && !isStopped(); ) {
      const applied = await this.ledger.applyTerms(this.clock.now());
      hasEnded ||= applied.ended > 0;
      hasMore = applied.hasMore;
    }
    this.forget();
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
    const ahead = before === null ? 0 : aheadMs(before, now);
    if (Math.abs(ahead) > CLOCK_TOLERANCE_MS) this.forget();
    if (ahead > CLOCK_TOLERANCE_MS) this.distrustedUntil = now.monotonic + DISTRUST_MS;
    return now.monotonic < this.distrustedUntil;
  }
}
