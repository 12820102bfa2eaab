import { type Clock, pause } from '../core/clock.ts';
import type { Finding } from '../core/finding.ts';

export interface CheckWatchParts {
  readonly check: () => Promise<readonly Finding[]>;
  /** A text that differs if something changed in this process that a check would report. */
  readonly mark: () => string;
  readonly clock: Pick<Clock, 'monotonic' | 'after'>;
}

/** How often is checked while somebody looks. */
const CHECK_EVERY_MS = 10_000;
/** The same after a change in this process. */
const CHECK_CHANGED_MS = 250;
/** How long a page waits for the first check, or for one after a change. Most take a few milliseconds. */
const PATIENCE_MS = 50;

/** What `check` finds in the running Teller, for pages that do not wait for it. Never more than one check at a time. */
export class CheckWatch {
  private last: readonly Finding[] | null = null;
  /** In monotonic milliseconds; null: what was found is out of date. */
  private startedAt: number | null = null;
  /** The mark when it started. */
  private seen = '';
  private running: Promise<void> | null = null;

  constructor(private readonly parts: CheckWatchParts) {}

  /** What was found last; null before the first check has ended. */
  get found(): readonly Finding[] | null {
    return this.last;
  }

  /** Checks again if the last check is old, without waiting. If that fails, the next page checks once more and gets the error. */
  look(): void {
    if (this.running !== null || !this.isOld) return;
    this.running = this.check();
    this.running.catch(() => {
      this.startedAt = null;
    });
  }

  /** What was found last. Only if nothing was, or if something changed since, waits a moment for the check. */
  async latest(): Promise<readonly Finding[] | null> {
    const isOutOfDate = this.startedAt === null || this.parts.mark() !== this.seen;
    this.look();
    if (isOutOfDate && this.running !== null) {
      await Promise.race([this.running, pause(this.parts.clock as Clock, PATIENCE_MS)]);
    }
    return this.last;
  }

  /** Call this after a change: what was found before does not count any more. */
  async expire(): Promise<void> {
    await this.running?.catch(() => null);
    this.startedAt = null;
  }

  private get isOld(): boolean {
    const { clock, mark } = this.parts;
    if (this.startedAt === null) return true;
    const everyMs = mark() === this.seen ? CHECK_EVERY_MS : CHECK_CHANGED_MS;
    return clock.monotonic() - this.startedAt >= everyMs;
  }

  private async check(): Promise<void> {
    this.startedAt = this.parts.clock.monotonic();
    this.seen = this.parts.mark();
    try {
      this.last = await this.parts.check();
    } finally {
      this.running = null;
    }
  }
}
