import type { Clock } from '../core/clock.ts';
import { interruptible } from '../core/interruptible.ts';

/** Runs one piece of work at a time, in the order of the calls, with a pause between them. */
export class Turns {
  private last: Promise<unknown> = Promise.resolve();
  private pauseUntil: number | null = null;

  /** @param signal ends a pause early. */
  constructor(
    private readonly clock: Clock,
    private readonly signal: AbortSignal,
  ) {}

  take<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.last.then(async () => {
      await this.pauseIsOver();
      return work();
    });
    this.last = turn.catch(() => {}); // the caller gets the error, and the next call still gets its turn
    return turn;
  }

  /** Resolves when a turn can begin at once. */
  ready(): Promise<void> {
    return this.take(async () => {});
  }

  /** The next turn begins `ms` from now at the earliest. */
  pause(ms: number): void {
    this.pauseUntil = this.clock.monotonic() + ms;
  }

  /** Resolves when all turns requested so far have ended. */
  async end(): Promise<void> {
    await this.last;
  }

  /** For work of several steps, each followed by a pause. */
  pauseIsOver(): Promise<void> {
    const leftMs = (this.pauseUntil ?? 0) - this.clock.monotonic();
    if (this.pauseUntil === null || leftMs <= 0 || this.signal.aborted) return Promise.resolve();
    const limits = { clock: this.clock, limitMs: leftMs, signal: this.signal, interrupted: () => {} };
    return interruptible<void>(limits, () => {});
  }
}
