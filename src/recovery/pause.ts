import type { Clock } from '../core/clock.ts';

interface Open {
  readonly end: () => void;
  readonly isWakeable: boolean;
}

/** The waits of one site, one at a time. All of them end when it is closed, and throw then: nothing is to be begun. */
export class Pause {
  private readonly ending = new AbortController();
  private open: Open | null = null;

  constructor(private readonly clock: Clock) {}

  get signal(): AbortSignal {
    return this.ending.signal;
  }

  /** Ends early where somebody wakes it. */
  atMost(ms: number): Promise<void> {
    return this.wait(ms, true);
  }

  fully(ms: number): Promise<void> {
    return this.wait(ms, false);
  }

  /** A wake that comes while nobody rests is not kept. */
  wake(): void {
    if (this.open?.isWakeable) this.open.end();
  }

  close(): void {
    this.ending.abort();
    this.open?.end();
  }

  private async wait(ms: number, isWakeable: boolean): Promise<void> {
    this.signal.throwIfAborted();
    await new Promise<void>((resolve) => {
      const cancel = this.clock.after(ms, resolve);
      const end = (): void => {
        cancel();
        resolve();
      };
      this.open = { end, isWakeable };
    });
    this.open = null;
    this.signal.throwIfAborted();
  }
}
