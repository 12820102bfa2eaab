/**
 * What the ledger needs as time passes: when this process ran is stored, so that it is known later in which times no vote could
 * arrive, and what is older than the config keeps it is removed, also from the disk.
 */
import type { Config } from '../config/config.ts';
import { baseTime, type Clock, isClockSet } from '../core/clock.ts';
import { HEARTBEAT_MS } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import { Repeating } from '../core/repeating.ts';
import type { Ledger } from '../ledger/ledger.ts';

interface Around {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly log: Log;
}

/** Stores when this process ran. */
export class Heartbeat {
  private readonly repeating: Repeating;
  /** null: none is stored yet. */
  private run: number | null = null;
  private sleptMs = 0;

  constructor(private readonly around: Around) {
    this.repeating = new Repeating(around, HEARTBEAT_MS, () => this.beat());
  }

  /** Call this once votes can arrive. */
  start(): void {
    this.repeating.start();
  }

  /** Call this once none can arrive any more. What cannot be stored looks as if the process had been killed. */
  async close(): Promise<void> {
    await this.repeating.close();
    const { ledger, clock } = this.around;
    if (this.run === null) return;
    try {
      await ledger.endRun(this.run, baseTime(clock));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }

  private async beat(): Promise<void> {
    const { ledger, clock } = this.around;
    const now = baseTime(clock);
    if (!isClockSet(now)) return;
    const sleptMs = clock.slept?.() ?? 0;
    // While the machine slept no vote could arrive, so what follows is another run.
    if (sleptMs - this.sleptMs > HEARTBEAT_MS) this.run = null;
    this.sleptMs = sleptMs;
    this.run = await ledger.keepRun(this.run, now);
  }
}

/** The pause after a portion, so that votes are stored in between. */
const PORTION_PAUSE_MS = 1_000;
/** How often it is looked whether something has become too old, and what was removed by any process is erased from the disk. */
const LOOK_MS = 10 * 60_000;

/**
 * Removes what is older than the config keeps it, in the one process that delivers (rule 6), and sees to it that nothing that was
 * removed stays on the disk for long.
 */
export class Retention {
  private readonly repeating: Repeating;
  /** In monotonic time. */
  private nextAt: number;

  constructor(
    private readonly around: Around,
    private keep: Config['keep'],
  ) {
    // A start has enough to do, and nothing to erase but what another process could not.
    this.nextAt = isForEver(keep) ? around.clock.monotonic() + LOOK_MS : Number.NEGATIVE_INFINITY;
    const pauseMs = () => Math.max(PORTION_PAUSE_MS, this.nextAt - around.clock.monotonic());
    this.repeating = new Repeating(around, pauseMs, () => this.removePortion());
  }

  start(): void {
    this.repeating.start();
  }

  apply(keep: Config['keep']): void {
    this.keep = keep;
    this.nextAt = Number.NEGATIVE_INFINITY;
    this.repeating.now();
  }

  close(): Promise<void> {
    return this.repeating.close();
  }

  private async removePortion(): Promise<void> {
    const { keep } = this;
    const { ledger, clock } = this.around;
    if (clock.monotonic() < this.nextAt) return;
    if (!isForEver(keep)) {
      const before = (ms: number | null): number | null => (ms === null ? null : clock.now() - ms);
      const hasMore = await ledger.removeOld({
        addresses: before(keep.addressesMs),
        wire: before(keep.wireMs),
      });
      if (hasMore) return;
    }
    // False if another program reads the ledger at this moment, such as a backup. A limit that was changed meanwhile applies at
    // the next look.
    if ((await ledger.erase(0)) && this.keep === keep) this.nextAt = clock.monotonic() + LOOK_MS;
  }
}

const isForEver = ({ addressesMs, wireMs }: Config['keep']): boolean =>
  addressesMs === null && wireMs === null;
