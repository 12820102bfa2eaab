import { type Clock, pause } from '../core/clock.ts';

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

  get isPauseOver(): boolean {
    return this.pauseLeftMs <= 0;
  }

  /** Resolves when all turns requested so far have ended. */
  async end(): Promise<void> {
    await this.last;
  }

  /** For work of several steps, each followed by a pause. */
  pauseIsOver(): Promise<void> {
    if (this.isPauseOver || this.signal.aborted) return Promise.resolve();
    return pause(this.clock, this.pauseLeftMs, this.signal);
  }

  private get pauseLeftMs(): number {
    return this.pauseUntil === null ? 0 : this.pauseUntil - this.clock.monotonic();
  }
}
