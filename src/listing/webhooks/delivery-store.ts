import type { Database } from 'better-sqlite3';
import { reasonColumns } from '../../core/reason-columns.ts';
import type { Outcome } from '../../notify/webhook/outcome.ts';
import type { DeliveryReason } from '../../notify/webhook/reasons.ts';
import type { Listing } from '../contracts.ts';
import type { DueQuery } from '../outbox/claim-due.ts';
import { atMost } from '../store/at-most.ts';

export type DeliveryKind = 'vote' | 'redelivery' | 'test';

export interface StoredEvent {
  readonly id: string;
  readonly listing: Listing;
  readonly body: Uint8Array;
  readonly state: 'pending' | 'delivered' | 'undelivered';
  /** The outcome of the latest attempt that has one. */
  readonly last: Outcome | null;
  /** Attempts so far, of every kind. */
  readonly attempts: number;
  readonly createdAt: number;
}

/** The mark of a delivery, written before it is sent. */
export interface NewDelivery {
  readonly deliveryId: string;
  readonly listing: Listing;
  /** null for tests. */
  readonly eventId: string | null;
  readonly kind: DeliveryKind;
  readonly attempt: number;
  /** As the log shows it. */
  readonly shownUrl: string;
  /** Without the signature. */
  readonly headers: Readonly<Record<string, string>>;
  readonly startedAt: number;
}

export interface DeliveryEnd {
  readonly durationMs: number;
  readonly httpStatus: number | null;
  readonly outcome: Outcome;
  /** null if there was an HTTP status. */
  readonly reason: DeliveryReason | null;
  readonly response: string | null;
}

/** The statements of the queue. */
export class DeliveryStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Listings that have due events, as for `Outlet`. */
  dueListings({ now, limit, inProgress, most }: DueQuery): string[] {
    const taken = JSON.stringify(Object.fromEntries(inProgress));
    return this.statements.dueListings.all({ now, taken, most, limit }) as string[];
  }

  /** Due events of a listing that are not being sent, longest due first. */
  dueOf(listingId: string, now: number, limit: number): StoredEvent[] {
    return this.statements.dueOf.all(listingId, now, limit).map(toEvent);
  }

  /** When the next event is due, after `now`. */
  nextDueAt(now: number): number | null {
    return this.statements.nextDueAt.get(now) as number | null;
  }

  event(listingId: string, eventId: string): StoredEvent | null {
    const row = this.statements.event.get(listingId, eventId);
    return row === undefined ? null : toEvent(row);
  }

  isBeingSent(eventId: string): boolean {
    return this.statements.isBeingSent.get(eventId) !== undefined;
  }

  /** Marks a delivery before it is sent. */
  begin({ deliveryId, listing, eventId, kind, attempt, shownUrl, headers, startedAt }: NewDelivery): void {
    const stored = JSON.stringify(headers);
    this.statements.begin.run(deliveryId, listing.id, eventId, kind, attempt, shownUrl, stored, startedAt);
    if (eventId !== null) this.statements.countAttempt.run(attempt, eventId);
  }

  /** @returns false if the delivery had ended already. */
  end(deliveryId: string, { reason, ...end }: DeliveryEnd): boolean {
    return this.statements.end.run({ deliveryId, ...end, ...reasonColumns(reason) }).changes === 1;
  }

  /** Ends an attempt whose result is unknown: it gets no outcome, and does not count. */
  cutOff(deliveryId: string, why: DeliveryReason): void {
    const { reason, facts } = reasonColumns(why);
    this.statements.cutOff.run(reason, facts, deliveryId);
  }

  /** Does the same for all attempts that were in progress when the last process stopped. */
  cutOffAll(why: DeliveryReason): number {
    const { reason, facts } = reasonColumns(why);
    return this.statements.cutOffAll.run(reason, facts).changes;
  }

  /** The failed attempts of an event, without redeliveries (NS-29). */
  failedAttempts(eventId: string): number {
    return this.statements.failedAttempts.get(eventId) as number;
  }

  delivered(eventId: string, now: number): void {
    this.statements.delivered.run(now, eventId);
  }

  retryAt(eventId: string, dueAt: number, now: number): void {
    this.statements.retryAt.run(dueAt, now, eventId);
  }

  undelivered(eventId: string, outcome: Outcome, now: number): void {
    this.statements.undelivered.run(outcome, now, eventId);
  }

  /** A failed redelivery does not change the state or the due time, but it is the latest outcome. */
  failedAgain(eventId: string, outcome: Outcome): void {
    this.statements.failedAgain.run(outcome, eventId);
  }

  /** Delays an event without counting an attempt. */
  postpone(eventId: string, dueAt: number): void {
    this.statements.postpone.run(dueAt, eventId);
  }

  /** Makes all pending events undelivered (NS-28). */
  endPending(listingId: string, now: number): void {
    this.statements.endPending.run(now, listingId);
  }

  /** When the listing's redeliveries started, oldest first. */
  redeliveriesSince(listingId: string, since: number): number[] {
    return this.statements.redeliveriesSince.all(listingId, since) as number[];
  }
}

interface EventRow extends Omit<StoredEvent, 'listing'> {
  readonly listingId: string;
  readonly name: string;
  readonly type: Listing['type'];
  readonly game: Listing['game'];
  readonly weight: number;
}

function toEvent(row: unknown): StoredEvent {
  const { listingId, name, type, game, weight, ...event } = row as EventRow;
  return { ...event, listing: { id: listingId, name, type, game, weight } };
}

const EVENT = `
  SELECT e.id, e.body, e.state, e.last, e.attempts, e.created_at AS createdAt,
         l.id AS listingId, l.name, l.type, l.game, l.weight
  FROM events e JOIN listings l ON l.id = e.listing_id`;

const IS_BEING_SENT = 'SELECT 1 FROM deliveries WHERE event_id = ? AND outcome IS NULL AND reason IS NULL';

const prepareStatements = (db: Database) => ({
  // One query per webhook: a query over all events had to skip the due events of busy webhooks. With one webhook that had
  // 50,000 due events, there were 152 deliveries a second instead of 713.
  dueListings: db
    .prepare(`
    SELECT w.listing_id FROM (
      SELECT listing_id, (
        SELECT min(due_at) FROM events WHERE listing_id = webhooks.listing_id AND state = 'pending') AS first_due
      FROM webhooks) w
    LEFT JOIN json_each(@taken) t ON t.key = w.listing_id
    WHERE w.first_due <= @now AND ifnull(t.value, 0) < @most
    ORDER BY ifnull(t.value, 0), w.first_due ${atMost('@limit')}`)
    .pluck(),
  dueOf: db.prepare(`
    ${EVENT} WHERE e.listing_id = ? AND e.state = 'pending' AND e.due_at <= ?
    AND NOT EXISTS (${IS_BEING_SENT.replace('?', 'e.id')}) ORDER BY e.due_at ${atMost('?')}`),
  nextDueAt: db.prepare("SELECT min(due_at) FROM events WHERE state = 'pending' AND due_at > ?").pluck(),
  event: db.prepare(`${EVENT} WHERE e.listing_id = ? AND e.id = ?`),
  isBeingSent: db.prepare(IS_BEING_SENT),
  begin: db.prepare(`
    INSERT INTO deliveries (id, listing_id, event_id, kind, attempt, url, headers, started_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)`),
  countAttempt: db.prepare('UPDATE events SET attempts = ? WHERE id = ?'),
  end: db.prepare(`
    UPDATE deliveries SET duration_ms = @durationMs, http_status = @httpStatus, outcome = @outcome,
      reason = @reason, facts = @facts, response = @response
    WHERE id = @deliveryId AND outcome IS NULL AND reason IS NULL`),
  cutOff: db.prepare('UPDATE deliveries SET reason = ?, facts = ? WHERE id = ? AND outcome IS NULL'),
  cutOffAll: db.prepare(
    'UPDATE deliveries SET reason = ?, facts = ? WHERE outcome IS NULL AND reason IS NULL',
  ),
  failedAttempts: db
    .prepare("SELECT count(*) FROM deliveries WHERE event_id = ? AND kind = 'vote' AND outcome IS NOT NULL")
    .pluck(),
  delivered: db.prepare(
    "UPDATE events SET state = 'delivered', last = 'delivered', changed_at = ? WHERE id = ? AND state <> 'delivered'",
  ),
  retryAt: db.prepare(
    "UPDATE events SET due_at = ?, last = 'retryable', changed_at = ? WHERE id = ? AND state = 'pending'",
  ),
  postpone: db.prepare("UPDATE events SET due_at = ? WHERE id = ? AND state = 'pending'"),
  undelivered: db.prepare(
    "UPDATE events SET state = 'undelivered', last = ?, changed_at = ? WHERE id = ? AND state = 'pending'",
  ),
  failedAgain: db.prepare("UPDATE events SET last = ? WHERE id = ? AND state <> 'delivered'"),
  endPending: db.prepare(
    "UPDATE events SET state = 'undelivered', changed_at = ? WHERE listing_id = ? AND state = 'pending'",
  ),
  redeliveriesSince: db
    .prepare(`
    SELECT started_at FROM deliveries
    WHERE listing_id = ? AND started_at > ? AND kind = 'redelivery' ORDER BY started_at`)
    .pluck(),
});
