import type { Clock } from '../../core/clock.ts';

interface CurrentWait {
  readonly end: () => void;
  readonly isWakeable: boolean;
}

/** The waits of one site, one at a time. Closing ends the current wait and makes it and later ones throw. */
export class Pause {
  private readonly ending = new AbortController();
  private current: CurrentWait | null = null;

  constructor(private readonly clock: Clock) {}

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Ends early if it is woken. */
  atMost(ms: number): Promise<void> {
    return this.wait(ms, true);
  }

  fully(ms: number): Promise<void> {
    return this.wait(ms, false);
  }

  /** Has no effect unless a wait is in progress. */
  wake(): void {
    if (this.current?.isWakeable) this.current.end();
  }

  close(): void {
    this.ending.abort();
    this.current?.end();
  }

  private async wait(ms: number, isWakeable: boolean): Promise<void> {
    this.signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const cancel = this.clock.after(ms, resolve);
      const end = (): void => {
        cancel();
        resolve();
      };
      this.current = { end, isWakeable };
    });
    this.current = null;
    this.signal.throwIfAborted();
  }
}
