import { FakeClock } from '../support/fake-clock.ts';

/** A clock that stands still, and tells a test when somebody has begun to wait. */
export class WaitingClock extends FakeClock {
  /** Of every alarm that was set, in order. */
  readonly asked: number[] = [];
  private readonly open = new Set<object>();
  private news: () => void = () => {};

  override after(delayMs: number, callback: () => void): () => void {
    const alarm = {};
    this.open.add(alarm);
    this.asked.push(delayMs);
    const cancel = super.after(delayMs, () => {
      this.open.delete(alarm);
      callback();
    });
    this.news();
    return () => {
      this.open.delete(alarm);
      cancel();
    };
  }

  /** Alarms that are neither rung nor called off. */
  get pending(): number {
    return this.open.size;
  }

  /** What was waited for between attempts, deadlines left out. */
  get waits(): number[] {
    return this.asked.filter((ms) => ms !== 10_000);
  }

  /** Resolves when `count` waits between attempts were begun. */
  async waiting(count: number): Promise<void> {
    while (this.waits.length < count) await new Promise<void>((resolve) => (this.news = resolve));
  }

  /** Lets each of these waits begin, and then end at the very millisecond. */
  async sitOut(...waits: readonly number[]): Promise<void> {
    const before = this.waits.length;
    for (const [index, ms] of waits.entries()) {
      await this.waiting(before + index + 1);
      this.advance(ms);
    }
  }
}
