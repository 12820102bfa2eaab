import { FakeClock } from '../support/fake-clock.ts';

/** A fake clock that lets a test wait until its client has set a timer. */
export class WaitingClock extends FakeClock {
  /** The delay of every timer that was set, in order. */
  readonly delays: number[] = [];
  private readonly open = new Set<object>();
  private onTimer: () => void = () => {};

  override after(delayMs: number, callback: () => void): () => void {
    const timer = {};
    this.open.add(timer);
    this.delays.push(delayMs);
    const cancel = super.after(delayMs, () => {
      this.open.delete(timer);
      callback();
    });
    this.onTimer();
    return () => {
      this.open.delete(timer);
      cancel();
    };
  }

  /** The number of timers that have neither fired nor been cancelled. */
  get pending(): number {
    return this.open.size;
  }

  /** The waits between attempts, without the deadlines. */
  get waits(): number[] {
    return this.delays.filter((ms) => ms !== 10_000);
  }

  /** Resolves when `count` waits between attempts have started. */
  async waiting(count: number): Promise<void> {
    while (this.waits.length < count) await new Promise<void>((resolve) => (this.onTimer = resolve));
  }

  /** Waits for each of these waits to start, then advances by exactly that time. */
  async passWaits(...waits: readonly number[]): Promise<void> {
    const before = this.waits.length;
    for (const [index, ms] of waits.entries()) {
      await this.waiting(before + index + 1);
      this.advance(ms);
    }
  }
}
