import type { Clock } from '../core/clock.ts';

/** One piece of work at a time, in the order of asking, with a pause between them. */
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
    this.last = turn.catch(() => {}); // the caller gets the error; the next one still gets its turn
    return turn;
  }

  /** Resolves when the next turn would begin at once. */
  ready(): Promise<void> {
    return this.take(async () => {});
  }

  /** From now on, so long. */
  pause(ms: number): void {
    this.pauseUntil = this.clock.monotonic() + ms;
  }

  /** Resolves when the last turn asked for until now is over. */
  async end(): Promise<void> {
    await this.last;
  }

  /** For work that does several things, each of which has a pause after it. */
  pauseIsOver(): Promise<void> {
    const leftMs = (this.pauseUntil ?? 0) - this.clock.monotonic();
    if (this.pauseUntil === null || leftMs <= 0 || this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        this.signal.removeEventListener('abort', done);
        resolve();
      };
      const cancel = this.clock.after(leftMs, done);
      this.signal.addEventListener('abort', done);
    });
  }
}
