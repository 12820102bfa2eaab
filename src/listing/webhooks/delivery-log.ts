import type { Clock } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { Database } from '../../sqlite/open.ts';
import { NEWEST, type Page, type PageWanted, pageOf } from '../../web/paging.ts';
import type { Targets } from '../targets/target-rule.ts';
import { shownUrl } from './attempt.ts';
import { type DayFigures, type Health, healthOf, type LatestAttempt, type OpenFigures } from './health.ts';
import {
  type DeliveryDetail,
  type DeliveryRow,
  type DetailRow,
  type LoggedDelivery,
  toDetail,
  toLogged,
  type UndeliveredEvent,
} from './log-rows.ts';
import { WebhookStore } from './webhook-store.ts';

/** The deliveries of a webhook, as its owner sees them. It only reads. */
export class DeliveryLog {
  private readonly statements;
  private readonly webhooks: WebhookStore;

  constructor(
    database: Database,
    private readonly clock: Clock,
    private readonly targets: Targets,
  ) {
    this.statements = prepareStatements(database);
    this.webhooks = new WebhookStore(database);
  }

  page(listingId: string, { limit, before }: PageWanted): Page<LoggedDelivery> {
    const { at, id } = before ?? NEWEST;
    const rows = this.statements.page.all(listingId, at, id, limit + 1) as DeliveryRow[];
    const logged = rows.map((row) => toLogged(row, this.clock.now()));
    return pageOf(logged, limit, ({ startedAt, deliveryId }) => ({ at: startedAt, id: deliveryId }));
  }

  detail(listingId: string, deliveryId: string): DeliveryDetail | null {
    const row = this.statements.detail.get(listingId, deliveryId) as DetailRow | undefined;
    return row === undefined ? null : toDetail(row, this.clock.now());
  }

  /** Events that are sent again only by a redelivery. */
  undelivered(listingId: string, { limit, before }: PageWanted): Page<UndeliveredEvent> {
    const { at, id } = before ?? NEWEST;
    const rows = this.statements.undelivered.all(listingId, at, id, limit + 1) as UndeliveredEvent[];
    return pageOf(rows, limit, ({ endedAt, eventId }) => ({ at: endedAt, id: eventId }));
  }

  /** null if the listing has no webhook. */
  health(listingId: string): Health | null {
    const webhook = this.webhooks.find(listingId);
    if (webhook === null) return null;
    const latest = this.statements.latest.get(listingId) as LatestAttempt | undefined;
    const isCurrent = latest?.url === shownUrl(new URL(webhook.url), this.targets);
    const figures = { day: this.day(listingId), open: this.open(listingId) };
    return healthOf(webhook, isCurrent ? latest : null, figures);
  }

  private day(listingId: string): DayFigures {
    return this.statements.day.get({ listingId, since: this.clock.now() - DAY_MS }) as DayFigures;
  }

  private open(listingId: string): OpenFigures {
    return this.statements.open.get(listingId) as OpenFigures;
  }
}

const DELIVERY = `
  d.id AS deliveryId, d.event_id AS eventId, d.kind, d.attempt, d.started_at AS startedAt,
  d.duration_ms AS durationMs, d.http_status AS httpStatus, d.outcome, d.reason, d.facts, e.state AS eventState,
  e.attempts AS eventAttempts, e.created_at AS eventCreatedAt, e.due_at AS dueAt`;

const prepareStatements = (db: Database) => ({
  page: db.prepare(`
    SELECT ${DELIVERY} FROM deliveries d LEFT JOIN events e ON e.id = d.event_id
    WHERE d.listing_id = ? AND (d.started_at, d.id) < (?, ?) ORDER BY d.started_at DESC, d.id DESC LIMIT ?`),
  detail: db.prepare(`
    SELECT ${DELIVERY}, d.url, d.headers, d.response, e.body
    FROM deliveries d LEFT JOIN events e ON e.id = d.event_id WHERE d.listing_id = ? AND d.id = ?`),
  undelivered: db.prepare(`
    SELECT id AS eventId, attempts, created_at AS createdAt, changed_at AS endedAt FROM events
    WHERE listing_id = ? AND (changed_at, id) < (?, ?) AND state = 'undelivered'
    ORDER BY changed_at DESC, id DESC LIMIT ?`),
  latest: db.prepare(`
    SELECT url, started_at AS startedAt, outcome FROM deliveries
    WHERE listing_id = ? AND kind IN ('vote', 'redelivery') AND outcome IS NOT NULL
    ORDER BY started_at DESC LIMIT 1`),
  // SQLite uses the index only if its condition, `state <> 'delivered'`, is in the query.
  open: db.prepare(`
    SELECT count(*) FILTER (WHERE state = 'pending' AND last IS NOT NULL) AS retrying,
           count(*) FILTER (WHERE state = 'undelivered') AS undelivered
    FROM events WHERE listing_id = ? AND state <> 'delivered'`),
  // Whether an undelivered event was rejected depends on the latest answer: a 4xx is final.
  day: db.prepare(`
    SELECT count(*) FILTER (WHERE state = 'delivered') AS delivered,
           count(*) FILTER (WHERE state = 'undelivered' AND last IS 'permanent') AS failed,
           count(*) FILTER (WHERE state = 'pending' AND last IS NOT NULL) AS retrying,
           count(*) FILTER (WHERE state = 'undelivered' AND last IS NOT 'permanent') AS undelivered
    FROM events WHERE listing_id = @listingId AND changed_at > @since`),
});
