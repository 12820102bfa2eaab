import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { DeliveryResult } from '../../webhook-send/delivery-result.ts';
import { outcomeOf, readRetryAfter, retryWaitMs } from '../../webhook-send/outcome.ts';
import type { Answer } from '../../webhook-send/post.ts';
import { type DeliveryReason, reasonSentence, reasonSentenceOrNull } from '../../webhook-send/reasons.ts';
import type { EndedJob } from '../outbox/outlet.ts';
import type { Attempt } from './attempt.ts';
import type { DeliveryEnd, DeliveryStore, NewDelivery } from './delivery-store.ts';
import { type EventState, eventStateOf } from './event-state.ts';
import type { WebhookStore } from './webhook-store.ts';

/** After this many failed attempts in a row, the webhook is disabled. */
export const FAILURES_TO_DISABLE = 20;

/** The pause after the service had no free socket. */
const OWN_FAULT_PAUSE_MS = 5_000;

export interface RecordedAttempt {
  readonly result: DeliveryResult;
  /** The event's state after this attempt; null for tests, and for attempts that do not count. */
  readonly state: EventState | null;
  /** Whether this failure disabled the webhook. */
  readonly hasDisabled: boolean;
}

export interface AttemptRecorderParts {
  readonly store: DeliveryStore;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly scheduleMs: readonly number[];
}

/** Records how attempts ended, and updates their events and webhooks. Used inside a transaction. */
export class AttemptRecorder {
  constructor(private readonly parts: AttemptRecorderParts) {}

  record({ job: attempt, answer, durationMs }: EndedJob<Attempt, Answer>): RecordedAttempt {
    const { deliveryId } = attempt.delivery;
    if (answer.kind === 'cut-off') return this.uncounted(attempt, { code: 'cut-off' }, durationMs);
    if (answer.kind === 'failed' && answer.isOurFault) {
      this.tryLater(attempt.delivery);
      return this.uncounted(attempt, answer.reason, durationMs);
    }
    const end = endOf(answer, durationMs);
    const { httpStatus } = end;
    const error = reasonSentenceOrNull(end.reason);
    const result = { deliveryId, delivered: end.outcome === 'delivered', httpStatus, durationMs, error };
    if (!this.parts.store.end(deliveryId, end)) return { result, state: null, hasDisabled: false };
    const hasDisabled = this.update(attempt.delivery, end, answer);
    return { result, state: this.stateOf(attempt.delivery), hasDisabled };
  }

  /** Such an attempt says nothing about the receiver, so it does not count. */
  private uncounted(
    { delivery: { deliveryId } }: Attempt,
    reason: DeliveryReason,
    durationMs: number,
  ): RecordedAttempt {
    this.parts.store.cutOff(deliveryId, reason);
    const error = reasonSentence(reason);
    const result = { deliveryId, delivered: false, httpStatus: null, durationMs, error };
    return { result, state: null, hasDisabled: false };
  }

  private stateOf({ eventId, listing }: NewDelivery): EventState | null {
    const event = eventId === null ? null : this.parts.store.event(listing.id, eventId);
    return event === null ? null : eventStateOf(event.state, event.last);
  }

  private tryLater({ eventId, kind }: NewDelivery): void {
    const now = this.parts.clock.now();
    if (eventId !== null && kind === 'vote') this.parts.store.postpone(eventId, now + OWN_FAULT_PAUSE_MS);
  }

  /** Tests and probes only appear in the log (NS-23). */
  private update(
    { eventId, kind, listing, startedAt }: NewDelivery,
    end: DeliveryEnd,
    answer: Answer,
  ): boolean {
    if (eventId === null) return false;
    const { store, webhooks, clock } = this.parts;
    if (end.outcome === 'delivered') {
      store.delivered(eventId, clock.now());
      webhooks.clearFailures(listing.id, startedAt);
      return false;
    }
    if (kind === 'vote') this.retryOrEnd(eventId, end, answer);
    else store.failedAgain(eventId, end.outcome);
    return this.countFailure(listing.id, startedAt);
  }

  private retryOrEnd(eventId: string, { outcome }: DeliveryEnd, answer: Answer): void {
    const { store, clock, random, scheduleMs } = this.parts;
    const now = clock.now();
    const askedMs = readRetryAfter('retryAfter' in answer ? answer.retryAfter : null, now);
    const waitMs =
      outcome === 'permanent'
        ? null
        : retryWaitMs(scheduleMs, store.failedAttempts(eventId), askedMs, random);
    if (waitMs === null) store.undelivered(eventId, outcome, now);
    else store.retryAt(eventId, now + waitMs, now);
  }

  private countFailure(listingId: string, startedAt: number): boolean {
    const { store, webhooks, clock } = this.parts;
    if (webhooks.countFailure(listingId, startedAt) < FAILURES_TO_DISABLE) return false;
    if (!webhooks.disable(listingId, clock.now())) return false;
    store.endPending(listingId, clock.now());
    return true;
  }
}

function endOf(answer: Exclude<Answer, { kind: 'cut-off' }>, durationMs: number): DeliveryEnd {
  if (answer.kind === 'failed') {
    const outcome = outcomeOf(null);
    return { durationMs, httpStatus: null, outcome, reason: answer.reason, response: null };
  }
  const { status, response } = answer;
  return { durationMs, httpStatus: status, outcome: outcomeOf(status), reason: null, response };
}
