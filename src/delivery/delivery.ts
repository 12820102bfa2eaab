import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { GrantLedger } from '../ledger/ledger.ts';
import type { HeldLock } from '../sqlite/lock.ts';
import type { Lane } from './lane.ts';

export interface DeliveryParts {
  readonly lanes: readonly Lane[];
  readonly ledger: GrantLedger;
  /** By game server, what it is. */
  readonly kindByServer: ReadonlyMap<string, string>;
  /** Tries to become the one process that delivers; null where another one is. */
  readonly takeLock: () => HeldLock | null;
  /** Called once this process is the one that delivers. */
  readonly onDelivering: () => Promise<void>;
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
  private takingOver: Promise<void> = Promise.resolve();
  private isClosed = false;
  private isDelivering = false;
  private hasWaited = false;
  /** Why it does not take over, by code. */
  private trouble: string | null = null;
  private cancel: Cancel = () => {};
  private seenVersion = 0;

  constructor(parts: DeliveryParts) {
    this.parts = parts;
  }

  /** Starts delivering, or goes on trying to. */
  async start(): Promise<void> {
    this.lock = this.parts.takeLock();
    if (this.lock === null) {
      this.parts.log.warn(
        { code: 'not-delivering' },
        'another Teller delivers from this ledger; this one records votes, and takes over when that one ends',
      );
    }
    this.takingOver = this.takeOverOrRetry();
    await this.takingOver;
  }

  /** A vote has been recorded: there may be something to pay. */
  nudge(): void {
    if (!this.isDelivering) return;
    for (const lane of this.parts.lanes) lane.nudge();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.takingOver;
    if (this.isDelivering) await Promise.all(this.parts.lanes.map((lane) => lane.close()));
    this.lock?.release();
  }

  private async takeOverOrRetry(): Promise<void> {
    if (await this.takeOver()) return;
    if (this.isClosed) return;
    this.hasWaited = true;
    this.cancel = this.parts.clock.after(LOCK_INTERVAL_MS, () => {
      this.takingOver = this.takeOverOrRetry();
    });
  }

  /** @returns whether it delivers from now on; a lock that it has is kept in any case. */
  private async takeOver(): Promise<boolean> {
    const { log, lanes, onDelivering, takeLock } = this.parts;
    try {
      this.lock ??= takeLock();
      if (this.lock === null) return false;
      await this.putInOrder();
      await onDelivering();
    } catch (error) {
      // Votes are recorded meanwhile, so this does not end the process: a lock that cannot be looked at is one, too.
      if (!(error instanceof Problem)) throw error;
      this.tellTrouble(error);
      return false;
    }
    if (this.isClosed) return false;
    if (this.hasWaited) log.info({ code: 'delivering' }, 'this Teller delivers from now on');
    this.isDelivering = true;
    for (const lane of lanes) lane.start();
    this.watch();
    return true;
  }

  /** Once for each change: it is tried again every two seconds. */
  private tellTrouble({ code, message }: Problem): void {
    if (this.trouble !== code) this.parts.log.error({ code }, `this Teller pays no rewards yet: ${message}`);
    this.trouble = code;
  }

  /** What the last holder of the lock left behind, and what belongs to other game servers than now. */
  private async putInOrder(): Promise<void> {
    const { ledger, clock, log, kindByServer } = this.parts;
    const unknown = await ledger.takeOver(clock.now());
    if (unknown > 0) {
      const what = `${unknown} command(s) were being sent when the last Teller ended`;
      log.warn({ code: 'unknown', commands: unknown }, `${what}; see \`teller grants --state held\``);
    }
    const held = await ledger.holdStrangers(kindByServer, clock.now());
    if (held > 0) {
      const what = `${held} grant(s) of other game servers than now are held`;
      log.warn({ code: 'held', grants: held }, `${what}; see \`teller grants --state held\``);
    }
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
