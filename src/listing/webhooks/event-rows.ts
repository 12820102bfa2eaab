import type { ReasonColumns } from '../../core/reason-columns.ts';
import type { Outcome } from '../../notify/webhook/outcome.ts';
import type { StoredEvent } from './delivery-store.ts';
import { attemptStateOf, type EventState, eventStateOf, testStateOf } from './event-state.ts';
import { type LoggedDelivery, statusAndError } from './log-rows.ts';
import { RETENTION_MS } from './redelivery.ts';

/** One event, or one test. */
export interface LogRow {
  /** The event's ID, or the delivery's ID of a test. */
  readonly id: string;
  readonly kind: 'vote' | 'test';
  /** When the vote was cast, or the test was sent. */
  readonly at: number;
  readonly state: EventState;
  /** Who voted; null for tests. */
  readonly userId: string | null;
  /** The player to reward; null if the voter named none. */
  readonly player: string | null;
  readonly attempts: number;
  /** null if nothing was sent, because the webhook was paused or disabled first. */
  readonly lastAttempt: LastAttempt | null;
  /** When it is retried; null if it is not, and while an attempt is in progress. */
  readonly nextAttemptAt: number | null;
  /** Depends on age only; the webhook's state is checked at the redelivery. */
  readonly canRedeliver: boolean;
}

export type LastAttempt = Pick<
  LoggedDelivery,
  'deliveryId' | 'startedAt' | 'status' | 'httpStatus' | 'error' | 'durationMs'
>;

export interface EventDetail extends LogRow {
  /** The exact bytes that every attempt sends, as text. */
  readonly body: string;
  /** All attempts, oldest first. */
  readonly history: readonly LoggedDelivery[];
}

export interface StoredRow extends ReasonColumns {
  readonly id: string;
  readonly kind: LogRow['kind'];
  readonly at: number;
  /** null for tests. */
  readonly state: StoredEvent['state'] | null;
  readonly last: Outcome | null;
  readonly userId: string | null;
  readonly player: string | null;
  readonly attempts: number;
  readonly dueAt: number | null;
  /** null, like the fields below, if there was no attempt yet. */
  readonly deliveryId: string | null;
  readonly startedAt: number;
  readonly outcome: Outcome | null;
  readonly httpStatus: number | null;
  readonly durationMs: number | null;
}

export interface StoredEventRow extends StoredRow {
  readonly body: Uint8Array;
}

export function toLogRow(row: StoredRow, now: number): LogRow {
  const { id, kind, at, userId, player, attempts, dueAt } = row;
  const lastAttempt = lastAttemptOf(row);
  const isWaiting = row.state === 'pending' && lastAttempt?.status !== 'sending';
  return {
    ...{ id, kind, at, userId, player, attempts, lastAttempt },
    state:
      row.state === null
        ? testStateOf(attemptStateOf(row.outcome, row.reason !== null))
        : eventStateOf(row.state, row.last),
    nextAttemptAt: isWaiting ? dueAt : null,
    canRedeliver: row.state !== null && now - at <= RETENTION_MS,
  };
}

function lastAttemptOf(row: StoredRow): LastAttempt | null {
  const { deliveryId, startedAt, httpStatus, durationMs } = row;
  return deliveryId === null
    ? null
    : { deliveryId, startedAt, httpStatus, durationMs, ...statusAndError(row) };
}
