import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/runtime/clock.ts';

/** Real waits, for real sockets, under a wall time that stands still until the test sets it. */
export class SettableClock implements Clock {
  readonly zone = 'UTC';
  private wall: number;
  private passed = 0;

  constructor(start: string) {
    this.wall = Date.parse(start);
  }

  /** Time passes until then; where that is in the past, the clock is set back. */
  set(instant: string): void {
    this.passed += Math.max(0, Date.parse(instant) - this.wall);
    this.jump(instant);
  }

  /** Sets the wall clock only. */
  jump(instant: string): void {
    this.wall = Date.parse(instant);
  }

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return systemClock.monotonic() + this.passed;
  }

  after(delayMs: number, callback: () => void): () => void {
    return systemClock.after(delayMs, callback);
  }

  nextTurn(callback: () => void): void {
    systemClock.nextTurn(callback);
  }
}
