import type { Cancel, Clock } from './clock.ts';
import type { Log } from './log.ts';
import { Problem } from './problem.ts';

/** Does something again and again, with a pause after each time, until it is closed. */
export class Repeating {
  private cancel: Cancel = () => {};
  private running: Promise<void> = Promise.resolve();
  private isStarted = false;
  private isWorking = false;
  /** Whether to do it again without a pause. */
  private isWanted = false;
  private isClosed = false;
  /** Code of the problem that was logged last. */
  private trouble: string | null = null;

  /**
   * @param pauseMs a function is called after each time, for a pause that differs.
   * @param work a Problem of it is logged, and it is tried again.
   */
  constructor(
    private readonly parts: { readonly clock: Clock; readonly log: Log },
    private readonly pauseMs: number | (() => number),
    private readonly work: () => Promise<void>,
  ) {}

  /** Calling it again does nothing. */
  start(): void {
    if (this.isStarted || this.isClosed) return;
    this.isStarted = true;
    this.again();
  }

  /** Does it now, or, if it is in progress, once more after that. */
  now(): void {
    if (!this.isStarted || this.isClosed) return;
    this.isWanted = this.isWorking;
    if (this.isWorking) return;
    this.cancel();
    this.again();
  }

  /** Resolves when the work in progress has ended. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.running;
  }

  private again(): void {
    this.isWanted = false;
    this.running = this.once();
  }

  private async once(): Promise<void> {
    this.isWorking = true;
    try {
      await this.work();
      this.trouble = null;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.logTrouble(error);
    }
    this.isWorking = false;
    if (this.isClosed) return;
    const pauseMs = typeof this.pauseMs === 'number' ? this.pauseMs : this.pauseMs();
    if (this.isWanted) this.again();
    else this.cancel = this.parts.clock.after(pauseMs, () => this.again());
  }

  private logTrouble({ code, message }: Problem): void {
    if (this.trouble !== code) this.parts.log.error({ code }, message);
    this.trouble = code;
  }
}
