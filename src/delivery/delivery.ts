import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { GrantLedger } from '../ledger/ledger.ts';
import type { HeldLock } from '../sqlite/lock.ts';
import type { Lane } from './lane.ts';

export interface DeliveryParts {
  readonly lanes: readonly Lane[];
  readonly ledger: GrantLedger;
  /** By game server, whether it is a practice one. */
  readonly practiceByServer: ReadonlyMap<string, boolean>;
  /** Tries to become the one process that delivers; null where another one is. */
  readonly takeLock: () => HeldLock | null;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often another process's writes (`teller grants pay`, a second recorder) are looked for. */
const WATCH_INTERVAL_MS = 1_000;
/** How often a process without the lock tries to get it. */
const LOCK_INTERVAL_MS = 2_000;

/** Pays what is owed, in the one process that holds the lock (rule 6). */
export class Delivery {
  private readonly parts: DeliveryParts;
  private lock: HeldLock | null = null;
  private cancel: Cancel = () => {};
  private seenVersion = 0;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Starts delivering, or goes on trying for the lock. */
  async start(): Promise<void> {
    this.lock = this.parts.takeLock();
    if (this.lock === null) {
      this.parts.log.warn(
        { code: 'not-delivering' },
        'another Teller delivers from this ledger; this one records votes, and takes over when that one ends',
      );
      this.waitForLock();
      return;
    }
    await this.takeOver();
  }

  /** A vote has been recorded: there may be something to pay. */
  nudge(): void {
    for (const lane of this.parts.lanes) lane.nudge();
  }

  async close(): Promise<void> {
    this.cancel();
    if (this.lock === null) return;
    await Promise.all(this.parts.lanes.map((lane) => lane.close()));
    this.lock.release();
  }

  private waitForLock(): void {
    this.cancel = this.parts.clock.after(LOCK_INTERVAL_MS, () => {
      this.lock = this.parts.takeLock();
      if (this.lock === null) this.waitForLock();
      else void this.takeOver();
    });
  }

  private async takeOver(): Promise<void> {
    const { ledger, clock, log, lanes, practiceByServer } = this.parts;
    const unknown = await ledger.takeOver(clock.now());
    if (unknown > 0)
      log.warn(
        { code: 'unknown', commands: unknown },
        `${unknown} command(s) were being sent when the last Teller ended; see \`teller grants --state held\``,
      );
    const held = await ledger.holdStrangers(practiceByServer, clock.now());
    if (held > 0)
      log.warn(
        { code: 'held', grants: held },
        `${held} grant(s) of other game servers than now are held; see \`teller grants --state held\``,
      );
    for (const lane of lanes) lane.start();
    this.watch();
  }

  private watch(): void {
    this.cancel = this.parts.clock.after(WATCH_INTERVAL_MS, () => {
      const version = this.parts.ledger.version();
      if (version !== this.seenVersion) this.nudge();
      this.seenVersion = version;
      this.watch();
    });
  }
}
