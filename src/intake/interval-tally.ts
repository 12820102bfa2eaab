import type { Cancel, Clock } from '../core/clock.ts';

/** How often the log is told what it was spared. */
export const INTERVAL_MS = 10_000;

/**
 * One line per cause and interval, where strangers decide how often a thing happens (rule 11): whoever counts here
 * learns which is the first of its cause and worth a line, and when the interval ends, how many there were.
 */
export class IntervalTally<Cause> {
  private readonly clock: Clock;
  private readonly onEnd: (counts: ReadonlyMap<Cause, number>) => void;
  private counts = new Map<Cause, number>();
  private cancelEnd: Cancel | null = null;

  constructor(clock: Clock, onEnd: (counts: ReadonlyMap<Cause, number>) => void) {
    this.clock = clock;
    this.onEnd = onEnd;
  }

  /** @returns whether it is the first of its cause in this interval, which begins with the first of any cause. */
  count(cause: Cause): boolean {
    const before = this.counts.get(cause) ?? 0;
    this.counts.set(cause, before + 1);
    this.cancelEnd ??= this.clock.after(INTERVAL_MS, () => this.end());
    return before === 0;
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
