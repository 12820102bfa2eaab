import type { Clock } from '../../core/clock.ts';

interface Window {
  readonly opensAt: number;
  used: number;
}

interface Limit {
  readonly most: number;
  readonly windowMs: number;
}

/** Beyond this many keys the oldest is forgotten: a flood of made-up names must not fill the memory. */
const KEYS_MAX = 10_000;

/**
 * Counts attempts by key in fixed windows that the first attempt opens. An attempt is counted when it begins, so
 * that many at once are not more than many in a row; one that was right is given back.
 */
export class Attempts {
  private readonly windows = new Map<string, Window>();

  constructor(
    private readonly clock: Clock,
    private readonly limit: Limit,
  ) {}

  /** Counts one; 0, or the milliseconds to wait where there are none left. */
  take(key: string): number {
    const window = this.window(key);
    if (window.used >= this.limit.most) return window.opensAt + this.limit.windowMs - this.clock.monotonic();
    window.used += 1;
    return 0;
  }

  giveBack(key: string): void {
    const window = this.windows.get(key);
    if (window !== undefined && window.used > 0) window.used -= 1;
  }

  private window(key: string): Window {
    const now = this.clock.monotonic();
    const known = this.windows.get(key);
    if (known !== undefined && now < known.opensAt + this.limit.windowMs) return known;
    const fresh = { opensAt: now, used: 0 };
    // Set anew, so that the map stays in the order of opening.
    this.windows.delete(key);
    this.windows.set(key, fresh);
    const [oldest] = this.windows.keys();
    if (this.windows.size > KEYS_MAX && oldest !== undefined) this.windows.delete(oldest);
    return fresh;
  }
}
