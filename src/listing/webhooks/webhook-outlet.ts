import type { Log } from '../../core/log.ts';
import type { Answer, Post } from '../../webhook-send/post.ts';
import type { EndedJob, Outlet } from '../outbox/outlet.ts';
import { type Attempt, type AttemptParts, attemptOf } from './attempt.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { logDelivery } from './log-delivery.ts';
import type { RecordedAttempt, AttemptRecorder } from './attempt-recorder.ts';
import type { WebhookStore } from './webhook-store.ts';

export interface WebhookOutletParts extends AttemptParts {
  readonly store: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly recorder: AttemptRecorder;
  readonly post: Post;
  readonly log: Log;
}

/** NS-40. */
export const PER_WEBHOOK_MAX = 4;

/** Sends events to webhooks, at least once: an event stays pending until a 2xx for it is on disk. */
export class WebhookOutlet implements Outlet<Attempt, Answer, RecordedAttempt> {
  readonly perListingMax = PER_WEBHOOK_MAX;
  readonly dueListings;

  constructor(private readonly parts: WebhookOutletParts) {
    this.dueListings = parts.store.dueListings.bind(parts.store);
  }

  claim(listingId: string, limit: number, now: number): Attempt[] {
    const { store, webhooks } = this.parts;
    const webhook = webhooks.find(listingId);
    if (webhook?.state !== 'open') {
      store.endPending(listingId, now);
      return [];
    }
    return store.dueOf(listingId, now, limit).map((event) => {
      const attempt = attemptOf(event, 'vote', webhook, this.parts);
      store.begin(attempt.delivery);
      return attempt;
    });
  }

  nextDueAt(now: number): number | null {
    return this.parts.store.nextDueAt(now);
  }

  send({ posting }: Attempt, stop: AbortSignal): Promise<Answer> {
    return this.parts.post(posting, stop);
  }

  record(ended: EndedJob<Attempt, Answer>): RecordedAttempt {
    return this.parts.recorder.record(ended);
  }

  report({ delivery }: Attempt, recorded: RecordedAttempt): void {
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
