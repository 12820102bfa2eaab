import { setMaxListeners } from 'node:events';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { Database } from '../../sqlite/open.ts';
import { isDatabaseFault } from '../database-fault.ts';
import { claimDue, IN_ALL_MAX } from './claim-due.ts';
import type { EndedJob, Job, Outlet } from './outlet.ts';

export interface OutboxParts<J extends Job, Answer, Recorded> {
  readonly database: Database;
  readonly outlet: Outlet<J, Answer, Recorded>;
  readonly clock: Clock;
}

/** The pause after a write to the database failed. */
const DATABASE_PAUSE_MS = 1_000;
/** The practice clock may move wall time forward, so due jobs are looked for at least this often. */
const LOOK_AGAIN_MS = 1_000;
/** How long `close` waits for jobs in progress. */
const CLOSE_GRACE_MS = 2_000;

/** A job that has ended, and the promise of `send`. */
interface Ended<J, Answer, Recorded> extends EndedJob<J, Answer> {
  readonly resolve: (recorded: Recorded) => void;
}

/**
 * Sends jobs that were stored with votes, in turns. Each turn is one transaction that records ended jobs and
 * claims due ones; claimed jobs are sent after the commit. So a kill at any time leaves every job either waiting or
 * claimed, and jobs of the same turn cost one fsync. At the next start, the outlet decides about jobs that were claimed.
 */
export class Outbox<J extends Job, Answer, Recorded> {
  private readonly inProgress = new Set<J>();
  private ended: Ended<J, Answer, Recorded>[] = [];
  private readonly stop = new AbortController();
  private readonly transaction;
  private isTurnPlanned = false;
  private isClosing = false;
  private cancelAlarm: Cancel = () => {};
  private onIdle: () => void = () => {};

  constructor(private readonly parts: OutboxParts<J, Answer, Recorded>) {
    this.transaction = parts.database.transaction((work: () => unknown) => work());
    setMaxListeners(IN_ALL_MAX * 2, this.stop.signal);
  }

  /** Call this when jobs may be due. Several calls in a row cause one turn. */
  nudge(): void {
    if (this.isTurnPlanned) return;
    this.isTurnPlanned = true;
    this.parts.clock.nextTurn(() => {
      this.isTurnPlanned = false;
      this.turn();
    });
  }

  /** Sends a job that is already marked. Resolves when its outcome is on disk; never rejects. */
  send(job: J): Promise<Recorded> {
    return new Promise((resolve) => {
      void this.run(job, resolve);
    });
  }

  /** Claims no more jobs, waits a while until those in progress are recorded, and cuts off the rest. */
  async close(): Promise<void> {
    this.isClosing = true;
    const cancelGrace = this.parts.clock.after(CLOSE_GRACE_MS, () => {
      this.stop.abort();
      this.nudge();
    });
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
      this.nudge();
    });
    cancelGrace();
  }

  private async run(job: J, resolve: (recorded: Recorded) => void): Promise<void> {
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
    // A request that outlived closing may have sent a job.
    if (!this.parts.database.open) this.ended = [];
    try {
      if (this.ended.length > 0 || !this.isClosing) this.tryTurn();
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.parts.outlet.reportPause(error);
      // Ended jobs stay claimed; the outlet decides about them at the next start.
      if (this.stop.signal.aborted) this.ended = [];
      else this.setAlarm(DATABASE_PAUSE_MS);
    }
    if (this.isClosing && this.inProgress.size + this.ended.length === 0) this.onIdle();
  }

  private tryTurn(): void {
    const { outlet, clock } = this.parts;
    const ended = this.ended;
    const { recorded, claimed } = this.atomically(() => ({
      recorded: ended.map((job) => outlet.record(job)),
      claimed: this.isClosing ? [] : claimDue(outlet, this.inProgress, clock.now()),
    }));
    this.ended = [];
    for (const [index, { job, resolve }] of ended.entries()) {
      const end = recorded[index] as Recorded;
      outlet.report(job, end);
      resolve(end);
    }
    for (const job of claimed) void this.send(job);
    if (this.isClosing) return;
    const dueMs = (outlet.nextDueAt(clock.now()) ?? Number.POSITIVE_INFINITY) - clock.now();
    this.setAlarm(Math.min(dueMs, LOOK_AGAIN_MS));
  }

  /** BEGIN IMMEDIATE: a deferred transaction that reads first fails if another connection writes before it does. */
  private atomically<Result>(work: () => Result): Result {
    return this.transaction.immediate(work) as Result;
  }

  private setAlarm(delayMs: number): void {
    this.cancelAlarm = this.parts.clock.after(delayMs, () => this.nudge());
  }
}
