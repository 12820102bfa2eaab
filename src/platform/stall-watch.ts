/** How often the watch checks, and the most that it may miss of one stall. */
const INTERVAL_MS = 200;
/** Timers are a few milliseconds late even if nothing is wrong. */
const LATENESS_IGNORED_MS = 10;

/**
 * Measures how long the event loop did not turn, because something blocked it or the process was stopped. A timer that
 * fires late shows both: monotonic time passes meanwhile. `perf_hooks.monitorEventLoopDelay` sees the same, but only
 * once its own timer has run, and after a stop other timers may run before it.
 */
export class StallWatch {
  private isWatching = false;
  private dueAt = 0;
  private pastMs = 0;

  /** Milliseconds since the first call, including a stall that is just ending. It never shrinks. */
  stalledMs(): number {
    if (!this.isWatching) this.start();
    return this.pastMs + this.lateMs();
  }

  /** The timer does not keep the process alive. */
  private start(): void {
    this.isWatching = true;
    this.dueAt = performance.now() + INTERVAL_MS;
    setInterval(() => {
      this.pastMs += this.lateMs();
      this.dueAt = performance.now() + INTERVAL_MS;
    }, INTERVAL_MS).unref();
  }

  private lateMs(): number {
    const lateMs = performance.now() - this.dueAt;
    return lateMs > LATENESS_IGNORED_MS ? lateMs : 0;
  }
}
