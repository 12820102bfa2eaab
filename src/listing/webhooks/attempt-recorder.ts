import type { DeliveryResult } from '../../notify/webhook/delivery-result.ts';
import { outcomeOf, readRetryAfter, retryWaitMs } from '../../notify/webhook/outcome.ts';
import type { Answer } from '../../notify/webhook/post.ts';
import { type DeliveryReason, reasonSentence, reasonSentenceOrNull } from '../../notify/webhook/reasons.ts';
import type { DeliveryEnd, DeliveryStore, NewDelivery } from './delivery-store.ts';
import { type EventState, eventStateOf } from './event-state.ts';
import type { WebhookStore } from './webhook-store.ts';

/** After this many failed attempts in a row, the webhook is disabled. */
export const FAILURES_TO_DISABLE = 20;

/** The pause after the service had no free socket. */
const OWN_FAULT_PAUSE_MS = 5_000;

export interface EndedAttempt {
  readonly delivery: NewDelivery;
  readonly answer: Answer;
  readonly durationMs: number;
  /** A random number from 0 (included) to 1, for the pause before the retry. */
  readonly draw: number;
}

export interface RecordedAttempt {
  readonly result: DeliveryResult;
  /** The event's state after this attempt; null for tests, and for attempts that do not count. */
  readonly state: EventState | null;
  /** Whether this failure disabled the webhook. */
  readonly hasDisabled: boolean;
}

export interface Recording {
  readonly now: number;
  /** The pause before each retry. */
  readonly retryScheduleMs: readonly number[];
}

/** Records how attempts ended, and updates their events and webhooks. Used inside a transaction. */
export class AttemptRecorder {
  constructor(
    private readonly store: DeliveryStore,
    private readonly webhooks: WebhookStore,
  ) {}

  record(ended: EndedAttempt, recording: Recording): RecordedAttempt {
    const { delivery, answer, durationMs } = ended;
    const { deliveryId } = delivery;
    if (answer.kind === 'cut-off') return this.uncounted(delivery, { code: 'cut-off' }, durationMs);
    if (answer.kind === 'failed' && answer.isOurFault) {
      this.tryLater(delivery, recording);
      return this.uncounted(delivery, answer.reason, durationMs);
    }
    const end = endOf(answer, durationMs);
    const { httpStatus } = end;
    const error = reasonSentenceOrNull(end.reason);
    const result = { deliveryId, delivered: end.outcome === 'delivered', httpStatus, durationMs, error };
    if (!this.store.end(deliveryId, end)) return { result, state: null, hasDisabled: false };
    const hasDisabled = this.update(ended, end, recording);
    return { result, state: this.stateOf(delivery), hasDisabled };
  }

  /** Such an attempt says nothing about the receiver, so it does not count. */
  private uncounted(
    { deliveryId }: NewDelivery,
    reason: DeliveryReason,
    durationMs: number,
  ): RecordedAttempt {
    this.store.cutOff(deliveryId, reason);
    const error = reasonSentence(reason);
    const result = { deliveryId, delivered: false, httpStatus: null, durationMs, error };
    return { result, state: null, hasDisabled: false };
  }

  private stateOf({ eventId, listing }: NewDelivery): EventState | null {
    const event = eventId === null ? null : this.store.event(listing.id, eventId);
    return event === null ? null : eventStateOf(event.state, event.last);
  }

  private tryLater({ eventId, kind }: NewDelivery, { now }: Recording): void {
    if (eventId !== null && kind === 'vote') this.store.postpone(eventId, now + OWN_FAULT_PAUSE_MS);
  }

  /** Tests only appear in the log (NS-23). */
  private update(ended: EndedAttempt, end: DeliveryEnd, recording: Recording): boolean {
    const { eventId, kind, listing, startedAt } = ended.delivery;
    if (eventId === null) return false;
    const { store, webhooks } = this;
    if (end.outcome === 'delivered') {
      store.delivered(eventId, recording.now);
      webhooks.clearFailures(listing.id, startedAt);
      return false;
    }
    if (kind === 'vote') this.retryOrEnd(eventId, ended, end, recording);
    else store.failedAgain(eventId, end.outcome);
    return this.countFailure(listing.id, startedAt, recording);
  }

  private retryOrEnd(
    eventId: string,
    { answer, draw }: EndedAttempt,
    { outcome }: DeliveryEnd,
    { now, retryScheduleMs }: Recording,
  ): void {
    const { store } = this;
    const askedMs = readRetryAfter('retryAfter' in answer ? answer.retryAfter : null, now);
    const waitMs =
      outcome === 'permanent'
        ? null
        : retryWaitMs(retryScheduleMs, store.failedAttempts(eventId), askedMs, draw);
    if (waitMs === null) store.undelivered(eventId, outcome, now);
    else store.retryAt(eventId, now + waitMs, now);
  }

  private countFailure(listingId: string, startedAt: number, { now }: Recording): boolean {
    const { store, webhooks } = this;
    if (webhooks.countFailure(listingId, startedAt) < FAILURES_TO_DISABLE) return false;
    if (!webhooks.disable(listingId, now)) return false;
    store.endPending(listingId, now);
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
