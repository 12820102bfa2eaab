import { setMaxListeners } from 'node:events';
import type { Cancel, Clock } from '../../core/clock.ts';
import { timeLimit } from '../../core/time-limit.ts';
import type { EndedJob, Job, Outlet } from './outlet.ts';

export interface OutboxParts<J extends Job, Answer, Recorded> {
  readonly outlet: Outlet<J, Answer, Recorded>;
  readonly clock: Clock;
  /** Whether an error of `turn` comes from the database, such as a full disk; any other error is a bug. */
  readonly isStorageFault: (error: unknown) => error is Error;
  /** How many jobs the outlet has in progress at one time, at most. */
  readonly mostAtOnce: number;
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
 * Sends jobs that were stored, in turns. Each turn is one transaction that records ended jobs and
 * claims due ones; claimed jobs are sent after the commit. So a kill at any time leaves every job either waiting or
 * claimed, and jobs of the same turn cost one fsync. At the next start, the outlet decides about jobs that were claimed.
 */
export class Outbox<J extends Job, Answer, Recorded> {
  private readonly inProgress = new Set<J>();
  private ended: Ended<J, Answer, Recorded>[] = [];
  private readonly stop = new AbortController();
  /** How many jobs are being marked. */
  private marking = 0;
  private isTurnWanted = false;
  private isTurnRunning = false;
  private state: 'open' | 'closing' | 'closed' = 'open';
  private cancelAlarm: Cancel = () => {};
  private onIdle: () => void = () => {};

  constructor(private readonly parts: OutboxParts<J, Answer, Recorded>) {
    setMaxListeners(parts.mostAtOnce * 2, this.stop.signal);
  }

  /** Call this when jobs may be due. Several calls in a row cause one turn. */
  nudge(): void {
    if (this.isTurnWanted) return;
    this.isTurnWanted = true;
    if (!this.isTurnRunning) this.planTurn();
  }

  /** Closing waits for this mark and for its job, if the caller passes it to `send` as soon as it is marked. */
  async marked<Marked>(mark: Promise<Marked>): Promise<Marked> {
    this.marking++;
    try {
      return await mark;
    } finally {
      // The caller comes first.
      this.parts.clock.nextTurn(() => {
        this.marking--;
        if (this.state === 'closing') this.nudge();
      });
    }
  }

  /** Sends a job that is already marked. Resolves when its outcome is on disk; never rejects. */
  send(job: J): Promise<Recorded> {
    return new Promise((resolve) => {
      void this.run(job, resolve);
    });
  }

  /** Claims no more jobs, waits a while until those in progress are recorded, and cuts off the rest. */
  async close(): Promise<void> {
    this.state = 'closing';
    const cancelGrace = timeLimit(this.parts.clock, CLOSE_GRACE_MS, () => {
      this.stop.abort();
      this.nudge();
    });
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
      this.nudge();
    });
    this.state = 'closed';
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

  private planTurn(): void {
    this.parts.clock.nextTurn(() => void this.turn());
  }

  /** One turn at a time: what ends during a turn is recorded by the next one. */
  private async turn(): Promise<void> {
    this.isTurnWanted = false;
    this.isTurnRunning = true;
    this.cancelAlarm();
    // A request that outlived closing may have sent a job.
    if (this.state === 'closed') this.ended = [];
    try {
      if (this.ended.length > 0 || this.state === 'open') await this.tryTurn();
    } catch (error) {
      if (!this.parts.isStorageFault(error)) throw error;
      this.parts.outlet.reportPause(error);
      // Ended jobs stay claimed; the outlet decides about them at the next start.
      if (this.stop.signal.aborted) this.ended = [];
      else this.setAlarm(DATABASE_PAUSE_MS);
    }
    this.isTurnRunning = false;
    if (this.isTurnWanted) this.planTurn();
    if (this.state === 'closing' && this.isIdle()) this.onIdle();
  }

  private isIdle(): boolean {
    return this.inProgress.size + this.ended.length + this.marking === 0;
  }

  private async tryTurn(): Promise<void> {
    const { outlet, clock } = this.parts;
    const ended = [...this.ended];
    const now = clock.now();
    const { recorded, claimed, nextDueAt } = await outlet.turn({
      ...{ ended, now, inProgress: [...this.inProgress] },
      isClaiming: this.state === 'open',
    });
    this.ended = this.ended.slice(ended.length);
    for (const [index, job] of ended.entries()) {
      const end = recorded[index] as Recorded;
      outlet.report(job, end);
      job.resolve(end);
    }
    // Also when closing began meanwhile, because these jobs are marked.
    for (const job of claimed) void this.send(job);
    if (this.state !== 'open') return;
    const dueMs = (nextDueAt ?? Number.POSITIVE_INFINITY) - clock.now();
    this.setAlarm(Math.max(0, Math.min(dueMs, LOOK_AGAIN_MS)));
  }

  private setAlarm(delayMs: number): void {
    this.cancelAlarm = this.parts.clock.after(delayMs, () => this.nudge());
  }
}
