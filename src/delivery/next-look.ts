import type { Clock } from '../core/clock.ts';
import type { Attendance } from './attendance.ts';

const NEVER = Number.POSITIVE_INFINITY;

/** When a queue next looks for the players whom grants wait for, in monotonic time: at once after the start. */
export class NextLook {
  private at = 0;

  constructor(
    private readonly presenceIntervalMs: number,
    private readonly attendance: Attendance,
    private readonly clock: Clock,
  ) {}

  /** 0 or less: now; Infinity: no grant waits. */
  get restMs(): number {
    return this.at - this.clock.monotonic();
  }

  none(): void {
    this.at = NEVER;
  }

  /** Call this when a player may be here already whom a grant began to wait for on another game server. */
  now(): void {
    this.at = Math.min(this.at, this.clock.monotonic());
  }

  /** Call this when a grant waits for a player. */
  soon(): void {
    const restMs = Math.min(this.presenceIntervalMs, this.attendance.nextReadyMs());
    this.at = Math.min(this.at, this.clock.monotonic() + restMs);
  }
}
