import type { Clock } from '../core/clock.ts';
import { interruptible } from '../core/interruptible.ts';

/** Longer sleeps end early, and the caller sleeps again: timers take 32 bits of milliseconds. */
const LONGEST_SLEEP_MS = 60 * 60 * 1000;

/** A sleep that can be ended early. If `wake` is called before a sleep begins, that sleep ends at once. */
export class Sleeper {
  private wakeUp: (() => void) | null = null;
  private isAwake = false;

  constructor(private readonly clock: Clock) {}

  wake(): void {
    this.isAwake = true;
    this.wakeUp?.();
  }

  /** @param ms may be Infinity. */
  async sleep(ms: number): Promise<void> {
    if (!this.isAwake) {
      const limits = { clock: this.clock, limitMs: Math.min(ms, LONGEST_SLEEP_MS), interrupted: () => {} };
      await interruptible<void>(limits, (end) => {
        this.wakeUp = end;
      });
    }
    this.wakeUp = null;
    this.isAwake = false;
  }
}
