import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { Problem } from '../core/problem.ts';
import type { GrantLedger } from '../ledger/ledger.ts';
import type { HeldLock } from '../sqlite/lock.ts';
import type { GameServerQueue } from './game-server-queue.ts';

export interface DeliveryParts {
  readonly queues: readonly GameServerQueue[];
  readonly ledger: GrantLedger;
  /** By game server, what it is. */
  readonly practiceOrReal: ReadonlyMap<string, string>;
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
  private queues: readonly GameServerQueue[];
  private practiceOrReal: ReadonlyMap<string, string>;
  /** Queues that were replaced before their last outcome could be written down. */
  private leftOver: readonly GameServerQueue[] = [];
  private replacing: Promise<void> = Promise.resolve();
  /** What is left of replaced queues is dealt with once at a time. */
  private tidying: Promise<void> | null = null;
  /** Open grants may be of game servers that the config does not name any more. */
  private isOrderDue = false;
  private lock: HeldLock | null = null;
  private acquiring: Promise<void> = Promise.resolve();
  private isClosed = false;
  private isDelivering = false;
  private hasWaited = false;
  /** Why it does not deliver yet, by code. */
  private trouble: string | null = null;
  private cancel: Cancel = () => {};
  private seenVersion = 0;

  constructor(private readonly parts: DeliveryParts) {
    this.queues = parts.queues;
    this.practiceOrReal = parts.practiceOrReal;
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
    this.acquiring = this.acquireOrRetry();
    await this.acquiring;
  }

  /** A vote has been recorded: there may be something to pay. */
  nudge(): void {
    if (!this.isDelivering) return;
    for (const queue of this.queues) queue.nudge();
  }

  /**
   * Pays by these queues from now on. A queue that is left out finishes the command in flight and drops the grants it
   * had fetched; one that is new starts when those have ended, so that one game server has one command at a time.
   */
  replace(queues: readonly GameServerQueue[], practiceOrReal: ReadonlyMap<string, string>): Promise<void> {
    this.replacing = this.replacing.then(() => this.replaceNow(queues, practiceOrReal));
    return this.replacing;
  }

  private async replaceNow(
    queues: readonly GameServerQueue[],
    practiceOrReal: ReadonlyMap<string, string>,
  ): Promise<void> {
    await this.acquiring;
    if (this.isClosed) return;
    const ended = this.queues.filter((queue) => !queues.includes(queue));
    const begun = queues.filter((queue) => !this.queues.includes(queue));
    this.queues = queues;
    this.practiceOrReal = practiceOrReal;
    if (!this.isDelivering) return;
    await Promise.all(ended.map((queue) => queue.close()));
    await this.tidying;
    this.leftOver = [...this.leftOver, ...ended];
    this.isOrderDue = true;
    await this.tidyUp();
    if (this.isClosed) return;
    for (const queue of begun) queue.start();
  }

  /** A vote was recorded under an earlier config: its grants may be of a game server that is gone. */
  orderSoon(): void {
    this.isOrderDue = true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.acquiring;
    await this.replacing;
    await this.tidying;
    if (this.leftOver.length > 0) await this.tidyUp();
    if (this.isDelivering) await Promise.all(this.queues.map((queue) => queue.close()));
    this.lock?.release();
  }

  private async acquireOrRetry(): Promise<void> {
    if (await this.acquire()) return;
    if (this.isClosed) return;
    this.hasWaited = true;
    this.cancel = this.parts.clock.after(LOCK_INTERVAL_MS, () => {
      this.acquiring = this.acquireOrRetry();
    });
  }

  /** @returns whether it delivers from now on; a lock that it has is kept in any case. */
  private async acquire(): Promise<boolean> {
    const { log, onDelivering, takeLock } = this.parts;
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
    for (const queue of this.queues) queue.start();
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
    const { ledger, clock, log } = this.parts;
    const unknown = await ledger.settleInterrupted(clock.now());
    if (unknown > 0) {
      const what = `${unknown} command(s) were being sent when the last Teller ended`;
      log.warn({ code: 'unknown', commands: unknown }, `${what}; see \`teller grants --state held\``);
    }
    await this.holdOrphaned();
  }

  /** Rejects with the ledger's Problem. */
  private async holdOrphaned(): Promise<void> {
    const { ledger, clock, log } = this.parts;
    const held = await ledger.holdOrphaned(this.practiceOrReal, clock.now());
    if (held > 0) {
      const what = `${held} grant(s) of other game servers than now are held`;
      log.warn({ code: 'held', grants: held }, `${what}; see \`teller grants --state held\``);
    }
  }

  /** Where the ledger cannot be written, it is tried again with the next look at it. */
  private tidyUp(): Promise<void> {
    this.tidying ??= this.tidyUpNow().finally(() => {
      this.tidying = null;
    });
    return this.tidying;
  }

  /** What has run first: a grant that is held before goes on by that, on a game server that may be gone. */
  private async tidyUpNow(): Promise<void> {
    const leftOver = this.leftOver;
    const settled = await Promise.all(leftOver.map((queue) => queue.settleRest()));
    this.leftOver = leftOver.filter((_, index) => settled[index] === false);
    if (this.isOrderDue || settled.includes(true)) await this.restoreOrder();
  }

  private async restoreOrder(): Promise<void> {
    this.isOrderDue = false;
    try {
      await this.holdOrphaned();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.isOrderDue = true;
    }
  }

  private watch(): void {
    this.cancel = this.parts.clock.after(WATCH_INTERVAL_MS, () => {
      const version = this.parts.ledger.version();
      if (version !== this.seenVersion) this.nudge();
      this.seenVersion = version;
      if (this.isOrderDue || this.leftOver.length > 0) void this.tidyUp();
      this.watch();
    });
  }
}
