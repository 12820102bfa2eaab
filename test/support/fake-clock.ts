import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';

interface Alarm {
  readonly due: number;
  readonly ring: () => void;
}

/** A clock that stands still until a test moves it. `advance` runs the timers that become due, in order. */
export class FakeClock implements Clock {
  readonly zone = 'UTC';
  private wall: number;
  private elapsed = 0;
  private asleep = 0;
  private standing = 0;
  private alarms: Alarm[] = [];

  constructor(start: string | number = '2026-06-01T12:00:00Z') {
    this.wall = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.wall + this.elapsed;
  }

  monotonic(): number {
    return this.elapsed;
  }

  after(delayMs: number, callback: () => void): () => void {
    const alarm = { due: this.elapsed + delayMs, ring: callback };
    this.alarms.push(alarm);
    return () => {
      this.alarms = this.alarms.filter((other) => other !== alarm);
    };
  }

  /** How many timers have not run yet. */
  get pendingTimers(): number {
    return this.alarms.length;
  }

  slept(): number {
    return this.asleep;
  }

  stalled(): number {
    return this.standing;
  }

  nextTurn(callback: () => void): void {
    setImmediate(callback);
  }

  /** Moves both times forward and runs the timers that become due. */
  advance(ms: number): void {
    const end = this.elapsed + ms;
    for (;;) {
      const next = this.alarms.filter((alarm) => alarm.due <= end).sort((a, b) => a.due - b.due)[0];
      if (next === undefined) break;
      this.elapsed = Math.max(this.elapsed, next.due);
      this.alarms = this.alarms.filter((alarm) => alarm !== next);
      next.ring();
    }
    this.elapsed = end;
  }

  /** Simulates a stopped process or a blocked event loop: time passes, and the timers that became due run after it. */
  stall(ms: number): void {
    this.standing += ms;
    this.elapsed += ms;
    this.advance(0);
  }

  /** Simulates sleep that the system reports: wall time moves on, monotonic time does not. */
  sleep(ms: number): void {
    this.wall += ms;
    this.asleep += ms;
  }

  /** Moves only wall time, as an operator or NTP does; may be negative. */
  jump(ms: number): void {
    this.wall += ms;
  }
}

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
