import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';

/** A clock with real timers, for real sockets, and wall time that moves only when the test sets it. */
export class SettableClock implements Clock {
  readonly zone = 'UTC';
  private wall: number;
  private passed = 0;

  constructor(start: string) {
    this.wall = Date.parse(start);
  }

  /** Moves time to this instant; if that is in the past, sets the clock back. */
  set(instant: string): void {
    this.passed += Math.max(0, Date.parse(instant) - this.wall);
    this.jump(instant);
  }

  /** Sets only wall time. */
  jump(instant: string): void {
    this.wall = Date.parse(instant);
  }

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.passed;
  }

  stalled(): number {
    return systemClock.stalled();
  }

  after(delayMs: number, callback: () => void): () => void {
    return systemClock.after(delayMs, callback);
  }

  nextTurn(callback: () => void): void {
    systemClock.nextTurn(callback);
  }
}
