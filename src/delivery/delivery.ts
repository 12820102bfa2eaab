import type { Cancel, Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { serversIn } from '../core/pool.ts';
import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { GameServerQueue } from './game-server-queue.ts';
import { holdOrphaned, settleInterrupted } from './left-over.ts';
import { PauseWatch } from './pause-watch.ts';
import { Terms } from './terms.ts';

export interface DeliveryParts {
  readonly queues: readonly GameServerQueue[];
  readonly ledger: Ledger;
  /** The kind of each game server, as the ledger stores it. */
  readonly kindByServer: ReadonlyMap<string, string>;
  /** What works only in the delivering process. Each is started once, in this order, before anything is paid. */
  readonly whileDelivering: readonly { start(): void | Promise<void> }[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How often to look for writes by other processes (`teller grants pay`, a second recorder). */
const WATCH_INTERVAL_MS = 1_000;
/** No version of a ledger. */
const UNSEEN = -1;
/** How often a process without the lock tries to get it. */
const LOCK_INTERVAL_MS = 2_000;

/** Pays what is owed, in the one process that holds the lock (rule 6). */
export class Delivery {
  private queues: readonly GameServerQueue[];
  private kindByServer: ReadonlyMap<string, string>;
  /** Queues that were replaced before their last outcome could be stored. */
  private unsettled: readonly GameServerQueue[] = [];
  /** The names of queues that were replaced, and may have left a command that is being sent. */
  private readonly replaced = new Set<string>();
  private replacing: Promise<void> = Promise.resolve();
  /** The cleanup that is running: there is at most one. */
  private cleaning: Promise<void> | null = null;
  /** Whether open grants may belong to game servers that the config no longer names. */
  private mayHaveOrphaned = false;
  /** Whether this process is the only one that may deliver. */
  private isDeliverer = false;
  private acquiring: Promise<void> = Promise.resolve();
  private isClosed = false;
  private isDelivering = false;
  private hasWaited = false;
  /** How many of `whileDelivering` have started: if one fails, the next try goes on with it. */
  private startedParts = 0;
  /** Code of the problem that prevents delivery. */
  private trouble: string | null = null;
  private cancel: Cancel = () => {};
  private watching: Promise<void> = Promise.resolve();
  private seenVersion = 0;
  private readonly terms: Terms;
  private readonly pauses: PauseWatch;

  constructor(private readonly parts: DeliveryParts) {
    this.queues = parts.queues;
    this.connectPools();
    this.kindByServer = parts.kindByServer;
    this.terms = new Terms(parts.ledger, parts.clock);
    this.pauses = new PauseWatch(parts.ledger, parts.log);
  }

  /** Starts delivering, or keeps trying to if another process delivers. */
  async start(): Promise<void> {
    this.isDeliverer = await this.parts.ledger.startDelivering();
    if (!this.isDeliverer) {
      this.parts.log.warn(
        { code: 'not-delivering' },
        'another Teller process already pays rewards from this ledger; this one only records votes, and takes over when the other stops',
      );
    }
    this.acquiring = this.acquireOrRetry();
    await this.acquiring;
  }

  /** Call this when a vote has been recorded: there may be something to pay. */
  nudge(): void {
    if (!this.isDelivering) return;
    this.terms.forget();
    for (const queue of this.queues) queue.nudge();
  }

  /** Call this when wall time was moved: what is due now, and who is online, is not left to the next look. */
  lookNow(): void {
    if (!this.isDelivering) return;
    for (const queue of this.queues) queue.lookAfresh();
  }

  /**
   * Call this when the operator has changed what is owed or paused in this process. Changes of other processes are noticed
   * by themselves.
   */
  operatorChanged(): void {
    this.watching = this.watching.then(() => {
      if (!this.isDelivering || this.isClosed) return;
      this.cancel();
      this.seenVersion = UNSEEN;
      return this.look();
    });
  }

  /** A queue that cannot pay a grant of a pool tells the others: they look for its player at once. */
  private connectPools(): void {
    for (const queue of this.queues) {
      queue.onPoolWaits = (pool) => {
        const names = serversIn(pool);
        for (const other of this.queues) if (other !== queue && names.includes(other.name)) other.lookNow();
      };
    }
  }

  /**
   * Replaces the queues. A queue that is not among the new ones finishes its command in flight and drops the grants
   * that it had fetched. New queues start after that, so that a game server gets one command at a time.
   */
  replace(queues: readonly GameServerQueue[], kindByServer: ReadonlyMap<string, string>): Promise<void> {
    this.replacing = this.replacing.then(() => this.replaceNow(queues, kindByServer));
    return this.replacing;
  }

  private async replaceNow(
    queues: readonly GameServerQueue[],
    kindByServer: ReadonlyMap<string, string>,
  ): Promise<void> {
    await this.acquiring;
    if (this.isClosed) return;
    const removed = this.queues.filter((queue) => !queues.includes(queue));
    const added = queues.filter((queue) => !this.queues.includes(queue));
    this.queues = queues;
    this.connectPools();
    this.kindByServer = kindByServer;
    if (!this.isDelivering) return;
    await Promise.all(removed.map((queue) => queue.close()));
    await this.cleaning;
    this.unsettled = [...this.unsettled, ...removed];
    this.mayHaveOrphaned = true;
    await this.cleanUp();
    if (this.isClosed) return;
    for (const queue of added) queue.start();
  }

  /**
   * Call this when a vote was recorded under an earlier config: its grants may belong to a game server that is gone.
   */
  holdOrphanedSoon(): void {
    this.mayHaveOrphaned = true;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    this.cancel();
    await this.acquiring;
    await this.replacing;
    await this.watching;
    await this.cleaning;
    if (this.unsettled.length > 0) await this.cleanUp();
    if (this.isDelivering) await Promise.all(this.queues.map((queue) => queue.close()));
    // A ledger that has failed is left by closing it.
    if (this.isDeliverer) await this.parts.ledger.stopDelivering().catch(() => undefined);
  }

  private async acquireOrRetry(): Promise<void> {
    if (await this.acquire()) return;
    if (this.isClosed) return;
    this.hasWaited = true;
    this.cancel = this.parts.clock.after(LOCK_INTERVAL_MS, () => {
      this.acquiring = this.acquireOrRetry();
    });
  }

  /** @returns whether delivery has started. A lock that was acquired is kept in either case. */
  private async acquire(): Promise<boolean> {
    const { log, whileDelivering, ledger } = this.parts;
    try {
      this.isDeliverer ||= await ledger.startDelivering();
      if (!this.isDeliverer) return false;
      await settleInterrupted(this.parts);
      await holdOrphaned(this.parts, this.kindByServer);
      for (; this.startedParts < whileDelivering.length; this.startedParts++)
        await whileDelivering[this.startedParts]?.start();
    } catch (error) {
      // The process still records votes, so it keeps running. A lock that cannot be read is treated as held.
      if (!(error instanceof Problem)) throw error;
      this.logTrouble(error);
      return false;
    }
    if (this.isClosed) return false;
    if (this.hasWaited) log.info({ code: 'delivering' }, 'this Teller delivers rewards now');
    this.isDelivering = true;
    for (const queue of this.queues) queue.start();
    this.watch();
    return true;
  }

  /** Logs each change once, because the lock is tried every two seconds. */
  private logTrouble({ code, message }: Problem): void {
    if (this.trouble !== code)
      this.parts.log.error({ code }, `this Teller cannot deliver rewards yet: ${message}`);
    this.trouble = code;
  }

  /** If the ledger cannot be written, `watch` tries again. */
  private cleanUp(): Promise<void> {
    this.cleaning ??= this.cleanUpNow().finally(() => {
      this.cleaning = null;
    });
    return this.cleaning;
  }

  /** Stores outcomes first: an outcome can make a held grant pending again, on a game server that may be gone. */
  private async cleanUpNow(): Promise<void> {
    const queues = this.unsettled;
    const settled = await Promise.all(queues.map((queue) => queue.settleLast()));
    this.unsettled = queues.filter((_, index) => settled[index] === false);
    for (const [index, { name }] of queues.entries()) if (settled[index] === true) this.replaced.add(name);
    if (this.mayHaveOrphaned || settled.includes(true)) await this.holdOrphanedOrRetry();
  }

  private async holdOrphanedOrRetry(): Promise<void> {
    this.mayHaveOrphaned = false;
    try {
      const of = [...this.replaced];
      if (of.length > 0) await this.parts.ledger.settleInterrupted(this.parts.clock.now(), of);
      for (const name of of) this.replaced.delete(name);
      await holdOrphaned(this.parts, this.kindByServer);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.mayHaveOrphaned = true;
    }
  }

  private watch(): void {
    this.cancel = this.parts.clock.after(WATCH_INTERVAL_MS, () => {
      this.watching = this.look();
    });
  }

  /** A failure is left to the next read or write, which reports it. */
  private async look(): Promise<void> {
    const version = await this.parts.ledger.version().catch(() => this.seenVersion);
    const isChanged = version !== this.seenVersion;
    if (isChanged) this.terms.forget();
    const isPayable = await this.terms.apply(() => this.isClosed).catch(() => false);
    const isResumed = isChanged && (await this.pauses.look().catch(() => false));
    if (this.isClosed) return;
    if (isResumed) for (const queue of this.queues) queue.lookNow();
    if (isChanged) for (const queue of this.queues) queue.forgetSeen();
    if (isPayable || isChanged) this.nudge();
    this.seenVersion = version;
    if (this.mayHaveOrphaned || this.unsettled.length > 0) void this.cleanUp();
    this.watch();
  }
}
