import type { EventReceiver } from '../../config/config.ts';
import type { Clock } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/duration.ts';
import type { Log } from '../../core/log.ts';
import { Problem } from '../../core/problem.ts';
import type { Random } from '../../core/random.ts';
import { Repeating } from '../../core/repeating.ts';
import type { Ledger, PostEnd } from '../../ledger/ledger.ts';
import { Outbox } from '../outbox/outbox.ts';
import type { Post } from '../webhook/post.ts';
import { type EventAnswer, type EventJob, EventOutlet } from './event-outlet.ts';
import type { EventSource } from './kind.ts';
import { receiversOf } from './receiver.ts';

export interface EventsParts {
  readonly ledger: Ledger & EventSource;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly post: Post;
}

/** How often refusals are summed up and old events removed. */
const KEEPING_MS = 60_000;
/** Requests in progress for all receivers: at most 20 receivers with 8 each. */
const MOST_AT_ONCE = 160;

/**
 * Tells other programs what happened. The ledger, which has the receivers from `useConfig`, stores each event in the transaction
 * that causes it. Events are posted after `start`, in the one process that delivers (rule 6).
 */
export class Events {
  private readonly outlet: EventOutlet;
  private readonly outbox: Outbox<EventJob, EventAnswer, PostEnd['state']>;
  private readonly keeping: Repeating;
  private isStarted = false;
  /** In monotonic milliseconds. */
  private keptUntil = 0;

  constructor(
    private readonly parts: EventsParts,
    entries: readonly EventReceiver[],
  ) {
    this.outlet = new EventOutlet(parts);
    this.outlet.receivers = receiversOf(entries);
    const isStorageFault = (error: unknown): error is Error => error instanceof Problem;
    this.outbox = new Outbox({
      outlet: this.outlet,
      clock: parts.clock,
      isStorageFault,
      mostAtOnce: MOST_AT_ONCE,
    });
    this.keeping = new Repeating(parts, KEEPING_MS, () => this.keep());
  }

  /** Call this when this process has become the one that delivers. */
  async start(): Promise<void> {
    await this.parts.ledger.resumePosts();
    this.isStarted = true;
    this.keeping.start();
    this.outbox.nudge();
  }

  /** The receivers of another config. */
  apply(entries: readonly EventReceiver[]): void {
    this.outlet.receivers = receiversOf(entries);
    this.lookNow();
  }

  /** Call this when wall time was moved. */
  lookNow(): void {
    if (!this.isStarted) return;
    this.keptUntil = 0;
    this.keeping.now();
    this.outbox.nudge();
  }

  /** Posts in progress get two seconds; what is left is sent after the next start. */
  async close(): Promise<void> {
    await this.keeping.close();
    if (this.isStarted) await this.outbox.close();
  }

  private async keep(): Promise<void> {
    const { ledger, clock } = this.parts;
    if (clock.monotonic() < this.keptUntil) return;
    await ledger.summariseRefusals(clock.now());
    while (await ledger.removeOldEvents(clock.now()));
    // Without a receiver no events are added, and old ones that an earlier config left can wait an hour.
    if (this.outlet.receivers.length === 0) this.keptUntil = clock.monotonic() + HOUR_MS;
  }
}
