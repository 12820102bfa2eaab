import { setMaxListeners } from 'node:events';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { DeliveryResult } from '../contracts.ts';
import { isDatabaseFault } from '../database-fault.ts';
import type { Attempt } from './attempt.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { logDelivery } from './log-delivery.ts';
import type { Post } from './post.ts';
import { IN_ALL_MAX, type Queue } from './queue.ts';
import type { EndedAttempt, Settling } from './settling.ts';

export interface DispatcherParts {
  readonly store: DeliveryStore;
  readonly queue: Queue;
  readonly settling: Settling;
  readonly post: Post;
  readonly clock: Clock;
  readonly log: Log;
}

/** While the database cannot be written. */
const DATABASE_PAUSE_MS = 1_000;
/** Wall time may be moved forward in practice, so what is due is looked for at least so often. */
const LOOK_AGAIN_MS = 1_000;

/** An attempt that is over, and who wants to know. */
interface Ended extends EndedAttempt {
  readonly tell: (result: DeliveryResult) => void;
}

/**
 * Sends what is due. It moves in turns, each of them one transaction: what has ended is written down, and what
 * begins is marked; only then it is sent. So a kill at any instant leaves an event pending until a 2xx for it is on
 * disk, and what comes together costs one fsync.
 */
export class Dispatcher {
  private readonly underWay = new Set<Attempt>();
  private ended: Ended[] = [];
  private readonly stop = new AbortController();
  private isTurnPlanned = false;
  private isClosing = false;
  private cancelAlarm: Cancel = () => {};
  private onIdle: () => void = () => {};

  constructor(private readonly parts: DispatcherParts) {
    setMaxListeners(IN_ALL_MAX * 2, this.stop.signal);
  }

  /** Events may have fallen due. Many nudges are one turn. */
  nudge(): void {
    if (this.isTurnPlanned) return;
    this.isTurnPlanned = true;
    this.parts.clock.nextTurn(() => {
      this.isTurnPlanned = false;
      this.turn();
    });
  }

  /** Sends an attempt that is marked already. Resolves once its end is written down; never rejects. */
  send(attempt: Attempt): Promise<DeliveryResult> {
    return new Promise((tell) => {
      void this.play(attempt, tell);
    });
  }

  /** Begins nothing more, and waits `graceMs` for what is under way; the rest is cut off, and sent again later. */
  async close(graceMs: number): Promise<void> {
    this.isClosing = true;
    const cancelGrace = this.parts.clock.after(graceMs, () => this.stop.abort());
    await new Promise<void>((resolve) => {
      this.onIdle = resolve;
      this.nudge();
    });
    cancelGrace();
  }

  private async play(attempt: Attempt, tell: Ended['tell']): Promise<void> {
    const { clock, post } = this.parts;
    this.underWay.add(attempt);
    const startedAt = clock.monotonic();
    const answer = await post(attempt.posting, this.stop.signal);
    this.underWay.delete(attempt);
    this.ended.push({ attempt, answer, durationMs: Math.round(clock.monotonic() - startedAt), tell });
    this.nudge();
  }

  private turn(): void {
    this.cancelAlarm();
    try {
      this.tryTurn();
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.parts.log.error(
        { code: 'deliveries-paused', err: error },
        `webhook deliveries pause: ${error.message}`,
      );
      // What has ended stays marked as begun; the next start takes it up from there.
      if (this.isClosing) this.ended = [];
      else this.setAlarm(DATABASE_PAUSE_MS);
    }
    if (this.isClosing && this.underWay.size + this.ended.length === 0) this.onIdle();
  }

  private tryTurn(): void {
    const { store, settling, queue, clock, log } = this.parts;
    const { over, begun } = store.atomically(() => ({
      over: this.ended.map((ended) => ({ ...ended, settled: settling.settle(ended) })),
      begun: this.isClosing ? [] : queue.begin(this.underWay),
    }));
    this.ended = [];
    for (const { attempt, settled, tell } of over) {
      logDelivery(log, attempt.delivery, settled);
      tell(settled.result);
    }
    for (const attempt of begun) void this.send(attempt);
    if (this.isClosing) return;
    const dueMs = (store.nextDueAt(clock.now()) ?? Number.POSITIVE_INFINITY) - clock.now();
    this.setAlarm(Math.min(dueMs, LOOK_AGAIN_MS));
  }

  private setAlarm(delayMs: number): void {
    this.cancelAlarm = this.parts.clock.after(delayMs, () => this.nudge());
  }
}
