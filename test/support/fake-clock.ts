import type { Clock } from '../../src/core/clock.ts';

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

/** The same time for another part, whose timers run with it but are not counted by a clock that counts its own. */
export const sameTime = (clock: FakeClock): FakeClock =>
  Object.create(clock, { after: { value: FakeClock.prototype.after.bind(clock) } });
