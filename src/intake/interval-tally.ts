import type { Cancel, Clock } from '../core/clock.ts';

/** How often the log is told what it was spared. */
export const INTERVAL_MS = 10_000;

/**
 * One line per cause and interval, where strangers decide how often a thing happens (rule 11): whoever counts here
 * learns how many of its cause there have been, so which are worth a line, and when the interval ends, how many in all.
 */
export class IntervalTally<Cause> {
  private counts = new Map<Cause, number>();
  private cancelEnd: Cancel | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onEnd: (counts: ReadonlyMap<Cause, number>) => void,
  ) {}

  /** @returns the how many-th of its cause it is in this interval, from 1; the first of any cause begins it. */
  count(cause: Cause): number {
    const count = (this.counts.get(cause) ?? 0) + 1;
    this.counts.set(cause, count);
    this.cancelEnd ??= this.clock.after(INTERVAL_MS, () => this.end());
    return count;
  }

  /** Ends the interval early, for when the process ends. */
  end(): void {
    this.cancelEnd?.();
    this.cancelEnd = null;
    const { counts } = this;
    this.counts = new Map();
    if (counts.size > 0) this.onEnd(counts);
  }
}
