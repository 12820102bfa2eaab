import type { Cancel, Clock } from './clock.ts';

/** How often suppressed lines are summed up in the log. */
export const INTERVAL_MS = 10_000;

/**
 * Limits the log to one line per cause and interval for events that strangers can repeat at will (rule 11). The caller
 * gets the count so far at each event, and the totals at the end of the interval.
 */
export class IntervalTally<Cause> {
  private counts = new Map<Cause, number>();
  private cancelEnd: Cancel | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly onEnd: (counts: ReadonlyMap<Cause, number>) => void,
  ) {}

  /**
   * @returns how many of this cause there have been in this interval, this one included. The first of any cause starts
   * it.
   */
  count(cause: Cause): number {
    const count = (this.counts.get(cause) ?? 0) + 1;
    this.counts.set(cause, count);
    this.cancelEnd ??= this.clock.after(INTERVAL_MS, () => this.end());
    return count;
  }

  /** Ends the interval early, because the process stops. */
  end(): void {
    this.cancelEnd?.();
    this.cancelEnd = null;
    const { counts } = this;
    this.counts = new Map();
    if (counts.size > 0) this.onEnd(counts);
  }
}
