import { type ReasonColumns, reasonOf } from '../../core/reason-columns.ts';
import type { Outcome } from '../../notify/webhook/outcome.ts';
import { type DeliveryReason, reasonSentenceOrNull } from '../../notify/webhook/reasons.ts';
import type { DeliveryKind, StoredEvent } from './delivery-store.ts';
import { type AttemptState, attemptStateOf, type EventState, eventStateOf } from './event-state.ts';
import { RETENTION_MS } from './redelivery.ts';

/** One attempt as the log shows it. */
export interface LoggedDelivery {
  /** The receiver gets it as `X-Service-Delivery`. */
  readonly deliveryId: string;
  /** null for tests. */
  readonly eventId: string | null;
  readonly kind: DeliveryKind;
  readonly attempt: number;
  readonly startedAt: number;
  /** null while it is in progress, and if it was cut off. */
  readonly durationMs: number | null;
  /** null if there was no answer; `error` says why. */
  readonly httpStatus: number | null;
  readonly status: AttemptState;
  readonly error: string | null;
  /** The event's current state, after all its attempts. */
  readonly eventState: EventState | null;
  /** When the event is retried; on its latest attempt only. */
  readonly nextAttemptAt: number | null;
  /** Depends on age only; the webhook's state is checked at the redelivery. */
  readonly canRedeliver: boolean;
}

export interface DeliveryDetail extends LoggedDelivery {
  readonly url: string;
  /** Without the signature. */
  readonly headers: Readonly<Record<string, string>>;
  /** The event's stored body; null for tests, whose bodies are not kept. */
  readonly body: string | null;
  /** The first 1 KiB of the receiver's answer: untrusted text. */
  readonly response: string | null;
}

/** An event that is not retried. Some were never sent, because the webhook was paused or disabled first. */
export interface UndeliveredEvent {
  readonly eventId: string;
  readonly attempts: number;
  readonly createdAt: number;
  readonly endedAt: number;
}

export interface DeliveryRow
  extends Omit<LoggedDelivery, 'status' | 'error' | 'eventState' | 'nextAttemptAt' | 'canRedeliver'>,
    ReasonColumns {
  readonly outcome: Outcome | null;
  readonly eventState: StoredEvent['state'] | null;
  readonly eventLast: Outcome | null;
  readonly eventAttempts: number | null;
  readonly eventCreatedAt: number | null;
  readonly dueAt: number | null;
}

export interface DetailRow extends DeliveryRow {
  readonly url: string;
  readonly headers: string;
  readonly body: Uint8Array | null;
  readonly response: string | null;
}

export const statusAndError = (
  row: ReasonColumns & Pick<DeliveryRow, 'outcome'>,
): Pick<LoggedDelivery, 'status' | 'error'> => ({
  status: attemptStateOf(row.outcome, row.reason !== null),
  error: reasonSentenceOrNull(reasonOf<DeliveryReason>(row)),
});

export function toLogged(row: DeliveryRow, now: number): LoggedDelivery {
  const { deliveryId, eventId, kind, attempt, startedAt, durationMs, httpStatus, eventState } = row;
  return {
    ...{ deliveryId, eventId, kind, attempt, startedAt, durationMs, httpStatus },
    eventState: eventState && eventStateOf(eventState, row.eventLast),
    ...statusAndError(row),
    nextAttemptAt: eventState === 'pending' && row.eventAttempts === attempt ? row.dueAt : null,
    canRedeliver: row.eventCreatedAt !== null && now - row.eventCreatedAt <= RETENTION_MS,
  };
}

export const toDetail = (row: DetailRow, now: number): DeliveryDetail => ({
  ...toLogged(row, now),
  url: row.url,
  headers: JSON.parse(row.headers),
  body: row.body && Buffer.from(row.body).toString(),
  response: row.response,
});
