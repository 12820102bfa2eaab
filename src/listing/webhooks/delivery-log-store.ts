import type { Database } from 'better-sqlite3';
import type { Cursor } from '../../web/paging.ts';
import { atMost } from '../store/at-most.ts';
import type { DayFigures, LatestAttempt, OpenFigures } from './health.ts';
import type { DeliveryRow, DetailRow, UndeliveredEvent } from './log-rows.ts';
import { type Webhook, WebhookStore } from './webhook-store.ts';

/** What a webhook's health is computed from. */
export interface HealthRow {
  readonly webhook: Webhook;
  /** null if no attempt has ended. */
  readonly latest: LatestAttempt | null;
  readonly day: DayFigures;
  readonly open: OpenFigures;
}

/** The statements of the log with one row per delivery, and of the figures. */
export class DeliveryLogStore {
  private readonly statements;
  private readonly webhooks: WebhookStore;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.webhooks = new WebhookStore(database);
  }

  /** Newest first. */
  rows(listingId: string, { at, id }: Cursor, limit: number): DeliveryRow[] {
    return this.statements.rows.all(listingId, at, id, limit) as DeliveryRow[];
  }

  detail(listingId: string, deliveryId: string): DetailRow | null {
    return (this.statements.detail.get(listingId, deliveryId) as DetailRow | undefined) ?? null;
  }

  /** Events that are sent again only by a redelivery. */
  undelivered(listingId: string, { at, id }: Cursor, limit: number): UndeliveredEvent[] {
    return this.statements.undelivered.all(listingId, at, id, limit) as UndeliveredEvent[];
  }

  /** null if the listing has no webhook. */
  health(listingId: string, since: number): HealthRow | null {
    const { latest, day, open } = this.statements;
    const webhook = this.webhooks.find(listingId);
    if (webhook === null) return null;
    return {
      webhook,
      latest: (latest.get(listingId) as LatestAttempt | undefined) ?? null,
      day: day.get({ listingId, since }) as DayFigures,
      open: open.get(listingId) as OpenFigures,
    };
  }
}

const DELIVERY = `
  d.id AS deliveryId, d.event_id AS eventId, d.kind, d.attempt, d.started_at AS startedAt,
  d.duration_ms AS durationMs, d.http_status AS httpStatus, d.outcome, d.reason, d.facts, e.state AS eventState,
  e.last AS eventLast, e.attempts AS eventAttempts, e.created_at AS eventCreatedAt, e.due_at AS dueAt`;

const prepareStatements = (db: Database) => ({
  rows: db.prepare(`
    SELECT ${DELIVERY} FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
    WHERE d.listing_id = ? AND (d.started_at, d.id) < (?, ?) ORDER BY d.started_at DESC, d.id DESC ${atMost('?')}`),
  detail: db.prepare(`
    SELECT ${DELIVERY}, d.url, d.headers, d.response, e.body
    FROM deliveries d LEFT JOIN events e ON e.id = d.event_id WHERE d.listing_id = ? AND d.id = ?`),
  undelivered: db.prepare(`
    SELECT id AS eventId, attempts, created_at AS createdAt, changed_at AS endedAt FROM events
    WHERE listing_id = ? AND (changed_at, id) < (?, ?) AND state = 'undelivered'
    ORDER BY changed_at DESC, id DESC ${atMost('?')}`),
  latest: db.prepare(`
    SELECT url, started_at AS startedAt, outcome FROM deliveries
    WHERE listing_id = ? AND kind IN ('vote', 'redelivery') AND outcome IS NOT NULL
    ORDER BY started_at DESC LIMIT 1`),
  // SQLite uses the index only if its condition, `state <> 'delivered'`, is in the query.
  open: db.prepare(`
    SELECT count(*) FILTER (WHERE state = 'pending' AND last IS NOT NULL) AS retrying,
           count(*) FILTER (WHERE state = 'undelivered') AS undelivered
    FROM events WHERE listing_id = ? AND state <> 'delivered'`),
  day: db.prepare(`
    SELECT count(*) FILTER (WHERE state = 'delivered') AS delivered,
           (SELECT count(DISTINCT event_id) FROM deliveries
            WHERE listing_id = @listingId AND started_at > @since AND event_id IS NOT NULL
            AND outcome IN ('retryable', 'permanent')) AS failed,
           count(*) FILTER (WHERE state = 'pending' AND last IS NOT NULL) AS retrying,
           count(*) FILTER (WHERE state = 'undelivered') AS undelivered
    FROM events WHERE listing_id = @listingId AND changed_at > @since`),
});
