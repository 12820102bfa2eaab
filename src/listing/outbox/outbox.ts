import { setMaxListeners } from 'node:events';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { Database } from '../../sqlite/open.ts';
import { isDatabaseFault } from '../database-fault.ts';
import { claimDue, IN_ALL_MAX } from './claim-due.ts';
import type { EndedJob, Job, Outlet } from './outlet.ts';

export interface OutboxParts<J extends Job, Answer, Settled> {
  readonly database: Database;
  readonly outlet: Outlet<J, Answer, Settled>;
  readonly clock: Clock;
}

/** While the database cannot be written. */
const DATABASE_PAUSE_MS = 1_000;
/** Wall time may be moved forward in practice, so what is due is looked for at least so often. */
const LOOK_AGAIN_MS = 1_000;
/** How long `close` waits for what is in progress. */
const CLOSE_GRACE_MS = 2_000;

/** A job that has ended, and what its sender waits for. */
interface Ended<J, Answer, Settled> extends EndedJob<J, Answer> {
  readonly resolve: (settled: Settled) => void;
}

/**
 * Sends what was written with the votes. It moves in turns, and each turn is one transaction: what has ended is
 * written down, and what is due is claimed; only then it is sent. So a kill at any instant leaves every job either
 * waiting or claimed, and what comes together costs one fsync. What becomes of jobs that a killed process had claimed
 * is up to the outlet, when the service starts.
 */
export class Outbox<J extends Job, Answer, Settled> {
  private readonly inProgress = new Set<J>();
  private ended: Ended<J, Answer, Settled>[] = [];
  private readonly stop = new AbortController();
  private readonly transaction;
  private isTurnPlanned = false;
  private isClosing = false;
  private cancelAlarm: Cancel = () => {};
  private onIdle: () => void = () => {};

  constructor(private readonly parts: OutboxParts<J, Answer, Settled>) {
    this.transaction = parts.database.transaction((work: () => unknown) => work());
    setMaxListeners(IN_ALL_MAX * 2, this.stop.signal);
  }

  /** Jobs may have fallen due. Many calls make one turn. */
  nudge(): void {
    if (this.isTurnPlanned) return;
    this.isTurnPlanned = true;
    this.parts.clock.nextTurn(() => {
      this.isTurnPlanned = false;
      this.turn();
    });
  }

  /** Sends a job that is marked already. Resolves when its end is on disk; never rejects. */
  send(job: J): Promise<Settled> {
    return new Promise((resolve) => {
      void this.play(job, resolve);
    });
  }

  /** Claims nothing more, and waits a while for what is in progress; the rest is cut off. */
  async close(): Promise<void> {
    this.isClosing = true;
    const cancelGrace = this.parts.clock.after(CLOSE_GRACE_MS, () => this.stop.abort());
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
      this.nudge();
    });
    cancelGrace();
  }

  private async play(job: J, resolve: (settled: Settled) => void): Promise<void> {
    const { clock, outlet } = this.parts;
    this.inProgress.add(job);
    const startedAt = clock.monotonic();
    const answer = await outlet.send(job, this.stop.signal);
    this.inProgress.delete(job);
    this.ended.push({ job, answer, durationMs: Math.round(clock.monotonic() - startedAt), resolve });
    this.nudge();
  }

  private turn(): void {
    this.cancelAlarm();
    try {
      if (this.ended.length > 0 || !this.isClosing) this.tryTurn();
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.parts.outlet.reportPause(error);
      // What has ended stays claimed; the next start goes on from there.
      if (this.isClosing) this.ended = [];
      else this.setAlarm(DATABASE_PAUSE_MS);
    }
    if (this.isClosing && this.inProgress.size + this.ended.length === 0) this.onIdle();
  }

  private tryTurn(): void {
    const { outlet, clock } = this.parts;
    const ended = this.ended;
    const { settled, claimed } = this.atomically(() => ({
      settled: ended.map((one) => outlet.settle(one)),
      claimed: this.isClosing ? [] : claimDue(outlet, this.inProgress, clock.now()),
    }));
    this.ended = [];
    for (const [index, { job, resolve }] of ended.entries()) {
      const end = settled[index] as Settled;
      outlet.report(job, end);
      resolve(end);
    }
    for (const job of claimed) void this.send(job);
    if (this.isClosing) return;
    const dueMs = (outlet.nextDueAt(clock.now()) ?? Number.POSITIVE_INFINITY) - clock.now();
    this.setAlarm(Math.min(dueMs, LOOK_AGAIN_MS));
  }

  /** Immediate, because a transaction that reads before it writes can lose to another writer in between. */
  private atomically<Result>(work: () => Result): Result {
    return this.transaction.immediate(work) as Result;
  }

  private setAlarm(delayMs: number): void {
    this.cancelAlarm = this.parts.clock.after(delayMs, () => this.nudge());
  }
}
