import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/runtime/clock.ts';

/** Real waits, for real sockets, under a wall time that stands still until the test sets it. */
export class SettableClock implements Clock {
  private wall: number;

  constructor(start: string) {
    this.wall = Date.parse(start);
  }

  set(instant: string): void {
    this.wall = Date.parse(instant);
  }

  now(): number {
    return this.wall;
  }

  monotonic(): number {
    return systemClock.monotonic();
  }

  after(delayMs: number, callback: () => void): () => void {
    return systemClock.after(delayMs, callback);
  }

  nextTurn(callback: () => void): void {
    systemClock.nextTurn(callback);
  }
}
