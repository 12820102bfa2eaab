/**
 * The right to deliver, and all queues: exactly one process pays what is owed in a ledger (rule 6), and takes over what another one left
 * behind. It also ends delays, lets grants expire, and notices what other processes write.
 */
import type { Cancel, Clock } from '../core/clock.ts';
import { CLOCK_TOLERANCE_MS } from '../core/clock-doubt.ts';
import { type ClockReading, readingOf } from '../core/clock-reading.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { Log } from '../core/log.ts';
import { type Pause, pauseText, resumeText, scopeText } from '../core/pause.ts';
import { serversIn } from '../core/pool.ts';
import { Problem } from '../core/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { SeenPlayers } from './presence.ts';
import type { GameServerQueue } from './queue.ts';

interface DeliveryParts {
  readonly ledger: Ledger;
  readonly seen: Pick<SeenPlayers, 'forget'>;
  /** What works only in the delivering process. Each is started once, in this order, before anything is paid. */
  readonly whileDelivering: readonly { startDelivering?(): void | Promise<void> }[];
  readonly clock: Clock;
  readonly log: Log;
}

/** How often to look for writes by other processes (`teller grants pay`, a second recorder). */
const WATCH_INTERVAL_MS = 1_000;
/** No version of a ledger. */
const UNSEEN = -1;
/** How often a process without the lock tries to get it. */
const LOCK_INTERVAL_MS = 2_000;

export class Delivery {
  private queues: readonly GameServerQueue[] = [];
  /** The kind of each game server, as the ledger stores it. */
  private kindByServer: ReadonlyMap<string, string> = new Map();
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
  private pauses: readonly Pause[] = [];
  private readonly terms: Terms;

  constructor(private readonly parts: DeliveryParts) {
    this.terms = new Terms(parts.ledger, parts.clock);
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

  /**
   * Replaces the queues. A queue that is not among the new ones finishes its command in flight and drops the grants
   * that it had fetched. New queues start after that, so that a game server gets one command at a time.
   */
  replace(queues: readonly GameServerQueue[], kindByServer: ReadonlyMap<string, string>): Promise<void> {
    this.replacing = this.replacing.then(async () => {
      await this.acquiring;
      if (this.isClosed) return;
      const removed = this.queues.filter((queue) => !queues.includes(queue));
      const added = queues.filter((queue) => !this.queues.includes(queue));
      this.queues = queues;
      this.kindByServer = kindByServer;
      const { isDelivering } = this;
      // A page may have asked a game server, so there may be a connection even where nothing is paid.
      await Promise.all(removed.map((queue) => queue.close()));
      if (!isDelivering) return;
      await this.cleaning;
      this.unsettled = [...this.unsettled, ...removed];
      this.mayHaveOrphaned = true;
      await this.cleanUp();
      if (!this.isClosed) this.startQueues(added);
    });
    return this.replacing;
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
    await Promise.all(this.queues.map((queue) => queue.close()));
    // A ledger that has failed is left by closing it.
    if (this.isDeliverer) await this.parts.ledger.stopDelivering().catch(() => undefined);
  }

  /** A queue that cannot pay a grant of a pool tells the others: they look for its player at once. */
  private startQueues(queues: readonly GameServerQueue[]): void {
    for (const queue of queues)
      queue.start((pool) => {
        const names = serversIn(pool);
        for (const other of this.queues) if (other !== queue && names.includes(other.name)) other.lookNow();
      });
  }

  private async acquireOrRetry(): Promise<void> {
    if ((await this.acquire()) || this.isClosed) return;
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
      await this.settleInterrupted();
      await this.holdOrphaned();
      for (; this.startedParts < whileDelivering.length; this.startedParts++)
        await whileDelivering[this.startedParts]?.startDelivering?.();
    } catch (error) {
      // The process still records votes, so it keeps running. A lock that cannot be read is treated as held.
      if (!(error instanceof Problem)) throw error;
      const { code, message } = error;
      // Once for each change, because the lock is tried every two seconds.
      if (this.trouble !== code) log.error({ code }, `this Teller cannot deliver rewards yet: ${message}`);
      this.trouble = code;
      return false;
    }
    if (this.isClosed) return false;
    if (this.hasWaited) log.info({ code: 'delivering' }, 'this Teller delivers rewards now');
    this.isDelivering = true;
    this.startQueues(this.queues);
    this.watch();
    return true;
  }

  /** What a process was sending when it died may have run. */
  private async settleInterrupted(): Promise<void> {
    const { ledger, clock, log } = this.parts;
    const unknown = await ledger.settleInterrupted(clock.now());
    if (unknown === 0) return;
    const what = `${unknown} command(s) were being sent when the previous Teller stopped, so they may have run`;
    log.warn({ code: 'unknown', commands: unknown }, `${what}; see \`teller grants --state held\``);
  }

  /** Holds what is owed on game servers that are gone from the config, or of another kind. */
  private async holdOrphaned(): Promise<void> {
    const { ledger, clock, log } = this.parts;
    // Those of the first portion are used for all: a reload in between holds grants by itself, after this.
    const { kindByServer } = this;
    let held = 0;
    for (let upTo: number | null | undefined; upTo !== null; ) {
      const portion = await ledger.holdOrphaned(kindByServer, clock.now(), upTo);
      held += portion.held;
      upTo = portion.upTo;
    }
    if (held === 0) return;
    const what = `${held} grant(s) are held because their game server was removed from the config or changed its kind`;
    log.warn({ code: 'held', grants: held }, `${what}; see \`teller grants --state held\``);
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
    const { ledger, clock } = this.parts;
    const queues = this.unsettled;
    const settled = await Promise.all(queues.map((queue) => queue.settleLast()));
    this.unsettled = queues.filter((_, index) => settled[index] === false);
    for (const [index, { name }] of queues.entries()) if (settled[index] === true) this.replaced.add(name);
    if (!this.mayHaveOrphaned && !settled.includes(true)) return;
    this.mayHaveOrphaned = false;
    try {
      const of = [...this.replaced];
      if (of.length > 0) await ledger.settleInterrupted(clock.now(), of);
      for (const name of of) this.replaced.delete(name);
      await this.holdOrphaned();
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
    const isResumed = isChanged && (await this.lookForPauses().catch(() => false));
    if (this.isClosed) return;
    if (isResumed) for (const queue of this.queues) queue.lookNow();
    // Another process may have changed who a player is.
    if (isChanged) this.parts.seen.forget();
    if (isPayable || isChanged) this.nudge();
    this.seenVersion = version;
    if (this.mayHaveOrphaned || this.unsettled.length > 0) void this.cleanUp();
    this.watch();
  }

  /**
   * Logs each pause of the operator once, and its end. The ledger itself lets nothing be claimed meanwhile.
   *
   * @returns whether a pause is over.
   */
  private async lookForPauses(): Promise<boolean> {
    const { ledger, log } = this.parts;
    const before = this.pauses;
    const pauses = await ledger.pauses();
    this.pauses = pauses;
    const missingIn = (some: readonly Pause[], others: readonly Pause[]): readonly Pause[] =>
      some.filter(
        ({ server, reward, at }) =>
          !others.some((one) => one.server === server && one.reward === reward && one.at === at),
      );
    const over = missingIn(before, pauses);
    for (const pause of over) log.info({ code: 'resumed' }, `${scopeText(pause)}: paid again from now on`);
    for (const pause of missingIn(pauses, before))
      log.warn(
        { code: 'paused', by: pause.by },
        `${pauseText(pause)}; \`${resumeText(pause)}\` ends the pause`,
      );
    return over.length > 0;
  }
}

/** How long a clock that was set ahead is not believed, if no vote shows that it is wrong. */
const DISTRUST_MS = HOUR_MS;

/** How far wall time went ahead of the time that passed, awake or asleep. */
const aheadMs = (before: ClockReading, now: ClockReading): number =>
  now.wall - before.wall - (now.monotonic - before.monotonic) - ((now.sleptMs ?? 0) - (before.sleptMs ?? 0));

/**
 * Ends the delays of grants and lets grants expire, on all game servers at once: one that cannot be reached, or is not
 * asked because nothing is to be paid there, needs no turn for it.
 */
class Terms {
  private last: ClockReading | null = null;
  /** In monotonic milliseconds. */
  private distrustedUntil = 0;
  /** When the ledger has to be asked; Infinity: not before `forget`. */
  private nextAt = 0;

  constructor(
    private readonly ledger: Pick<Ledger, 'nextTermAt' | 'applyTerms'>,
    private readonly clock: Clock,
  ) {}

  /** Call this when grants were made or changed. */
  forget(): void {
    this.nextAt = 0;
  }

  /**
   * @param isStopped asked between two portions.
   * @returns whether grants can be paid now whose delay was not over before. Rejects with the ledger's Problem.
   */
  async apply(isStopped: () => boolean): Promise<boolean> {
    const { ledger, clock } = this;
    if (this.isClockDistrusted() || this.nextAt > clock.now()) return false;
    // Before the ledger is asked: `forget` may be called until it has answered.
    this.nextAt = Number.POSITIVE_INFINITY;
    let hasEnded = false;
    try {
      const dueAt = await ledger.nextTermAt(clock.now());
      if (dueAt === null || dueAt > clock.now()) {
        if (this.nextAt !== 0 && dueAt !== null) this.nextAt = dueAt;
        return false;
      }
      for (let hasMore = true; hasMore && !isStopped(); ) {
        const applied = await ledger.applyTerms(clock.now());
        hasEnded ||= applied.ended > 0;
        hasMore = applied.hasMore;
      }
    } catch (error) {
      this.forget();
      throw error;
    }
    this.forget();
    return hasEnded;
  }

  /**
   * What has expired cannot be paid again, and a clock that is set ahead by mistake would let everything expire. The next
   * vote shows whether it is wrong (rule 4), and then the ledger itself lets nothing expire.
   */
  private isClockDistrusted(): boolean {
    const before = this.last;
    const now = readingOf(this.clock);
    this.last = now;
    const ahead = before === null ? 0 : aheadMs(before, now);
    if (Math.abs(ahead) > CLOCK_TOLERANCE_MS) this.forget();
    if (ahead > CLOCK_TOLERANCE_MS) this.distrustedUntil = now.monotonic + DISTRUST_MS;
    return now.monotonic < this.distrustedUntil;
  }
}
