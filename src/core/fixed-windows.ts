/** How much a key has used since its window opened. */
export interface WindowUse {
  /** When its first charge opened the window; milliseconds of the caller's clock. */
  readonly openedAt: number;
  readonly used: number;
}

export interface Charge {
  /** `over`: nothing was charged. */
  readonly kind: 'charged' | 'over';
  readonly left: number;
  /** Time until the window ends and the whole limit is available again. */
  readonly resetMs: number;
}

export interface WindowLimits {
  readonly windowMs: number;
  /**
   * With more keys than this the oldest window is forgotten, so that a flood of invented keys cannot fill the memory.
   */
  readonly keysMax?: number;
  /** Looks up a key that is not in memory. */
  readonly recall?: (key: string) => WindowUse | undefined;
}

/**
 * Fixed windows by key: the first charge opens a window, and the whole limit is available again when it ends. Charge
 * before the work begins, so that concurrent attempts count like attempts in a row; `giveBack` undoes a charge.
 */
export class FixedWindows {
  /** In the order in which they were opened, which is the order in which they end. */
  private readonly windows = new Map<string, WindowUse>();

  constructor(private readonly limits: WindowLimits) {}

  /** Keys in memory. */
  get size(): number {
    return this.windows.size;
  }

  charge(key: string, cost: number, limit: number, now: number): Charge {
    this.forgetEnded(now);
    const { openedAt, used } = this.openWindow(key, now);
    const resetMs = openedAt + this.limits.windowMs - now;
    const left = limit - used;
    if (cost > left) return { kind: 'over', left, resetMs };
    this.windows.set(key, { openedAt, used: used + cost });
    this.forgetBeyondMax();
    return { kind: 'charged', left: left - cost, resetMs };
  }

  /** Undoes a charge, if its window is still in memory. */
  giveBack(key: string, cost: number): void {
    const window = this.windows.get(key);
    if (window !== undefined) this.windows.set(key, { ...window, used: Math.max(0, window.used - cost) });
  }

  /** The window of a key, if it is in memory. */
  use(key: string): WindowUse | undefined {
    return this.windows.get(key);
  }

  private openWindow(key: string, now: number): WindowUse {
    const last = this.windows.get(key) ?? this.limits.recall?.(key);
    if (last !== undefined && this.isOpen(last, now)) return last;
    this.windows.delete(key); // so that `set` adds it at the end
    return { openedAt: now, used: 0 };
  }

  /**
   * A window that starts in the future counts as ended: the clock was set back, and callers should not wait so long.
   */
  private isOpen({ openedAt }: WindowUse, now: number): boolean {
    return openedAt <= now && now < openedAt + this.limits.windowMs;
  }

  private forgetEnded(now: number): void {
    for (const [key, window] of this.windows) {
      if (this.isOpen(window, now)) return;
      this.windows.delete(key);
    }
  }

  private forgetBeyondMax(): void {
    const [oldest] = this.windows.keys();
    const { keysMax = Number.POSITIVE_INFINITY } = this.limits;
    if (this.windows.size > keysMax && oldest !== undefined) this.windows.delete(oldest);
  }
}
