import { baseTime, type Clock, isClockSet } from '../core/clock.ts';
import { HEARTBEAT_MS } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { Repeating } from '../core/repeating.ts';
import type { Ledger } from '../ledger/ledger.ts';

export interface HeartbeatParts {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Stores when this process ran, so that it is known later in which times no vote could arrive. */
export class Heartbeat {
  private readonly repeating: Repeating;
  /** null: none is stored yet. */
  private run: number | null = null;
  private sleptMs = 0;

  constructor(private readonly parts: HeartbeatParts) {
    this.repeating = new Repeating(parts, HEARTBEAT_MS, () => this.beat());
  }

  /** Call this once votes can arrive. */
  start(): void {
    this.repeating.start();
  }

  /** Call this once none can arrive any more. What cannot be stored looks as if the process had been killed. */
  async close(): Promise<void> {
    await this.repeating.close();
    const { ledger, clock } = this.parts;
    if (this.run === null) return;
    try {
      await ledger.endRun(this.run, baseTime(clock));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  private async beat(): Promise<void> {
    const { ledger, clock } = this.parts;
    const now = baseTime(clock);
    if (!isClockSet(now)) return;
    const sleptMs = clock.slept?.() ?? 0;
    // While the machine slept no vote could arrive, so what follows is another run.
    if (sleptMs - this.sleptMs > HEARTBEAT_MS) this.run = null;
    this.sleptMs = sleptMs;
    this.run = await ledger.keepRun(this.run, now);
  }
}
