import type { Clock } from '../core/clock.ts';

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
      await new Promise<void>((resolve) => {
        const cancel = this.clock.after(Math.min(ms, LONGEST_SLEEP_MS), resolve);
        this.wakeUp = () => {
          cancel();
          resolve();
        };
      });
    }
    this.wakeUp = null;
    this.isAwake = false;
  }
}
