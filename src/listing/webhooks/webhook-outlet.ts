import type { Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Random } from '../../core/random.ts';
import { UUID_BYTES } from '../../core/uuid.ts';
import type { EndedJob, Outlet, Turn, TurnWanted } from '../../notify/outbox/outlet.ts';
import type { Answer, Post } from '../../notify/webhook/post.ts';
import type { Changes } from '../changes/changes.ts';
import { IN_ALL_MAX } from '../outbox/claim-due.ts';
import { type Attempt, type AttemptParts, attemptOf } from './attempt.ts';
import type { RecordedAttempt } from './attempt-recorder.ts';
import { logDelivery } from './log-delivery.ts';

export interface WebhookOutletParts extends AttemptParts {
  readonly changes: Pick<Changes, 'deliveriesTurn'>;
  readonly post: Post;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The pause before each retry. */
  readonly retryScheduleMs: readonly number[];
}

/** Sends events to webhooks, at least once: an event stays pending until a 2xx for it is on disk. */
export class WebhookOutlet implements Outlet<Attempt, Answer, RecordedAttempt> {
  constructor(private readonly parts: WebhookOutletParts) {}

  async turn(wanted: TurnWanted<Attempt, Answer>): Promise<Turn<Attempt, RecordedAttempt>> {
    const { changes, random, rules, retryScheduleMs } = this.parts;
    const { ended, inProgress, ...rest } = wanted;
    const { claimed, ...turn } = await changes.deliveriesTurn({
      ...{ ...rest, rules, retryScheduleMs },
      idBytes: random.bytes(UUID_BYTES * IN_ALL_MAX),
      ended: ended.map(({ job: { delivery }, answer, durationMs }) => ({
        ...{ delivery, answer, durationMs },
        draw: random.next(),
      })),
      inProgress: inProgress.map(({ id, listingId }) => ({ id, listingId })),
    });
    return { ...turn, claimed: claimed.map((marked) => attemptOf(marked, this.parts)) };
  }

  send({ posting }: Attempt, stop: AbortSignal): Promise<Answer> {
    return this.parts.post(posting, stop);
  }

  report({ job: { delivery } }: EndedJob<Attempt, Answer>, recorded: RecordedAttempt): void {
    logDelivery(this.parts.log, delivery, recorded);
  }

  reportPause(error: Error): void {
    const fields = { code: 'deliveries-paused', err: error };
    this.parts.log.error(
      fields,
      `webhook deliveries are paused, because the database cannot be written: ${error.message}`,
    );
  }
}
