import type { Database, Statement } from 'better-sqlite3';
import type { Cursor } from '../../web/paging.ts';
import { atMost } from '../store/at-most.ts';
import type { StoredEventRow, StoredRow } from './event-rows.ts';
import type { EventState } from './event-state.ts';
import type { DeliveryRow } from './log-rows.ts';

export interface RowsWanted {
  readonly listingId: string;
  /** null for all. */
  readonly state: EventState | null;
  readonly before: Cursor;
  readonly limit: number;
}

/** The statements of the log with one row per event. */
export class EventLogStore {
  private readonly prepared = new Map<string, Statement>();
  private readonly statements;

  constructor(private readonly database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Events alone, newest first. */
  events(wanted: RowsWanted): StoredRow[] {
    return this.rows(eventsSql(wanted.state), wanted);
  }

  /** Tests alone, newest first. */
  tests(wanted: RowsWanted): StoredRow[] {
    return this.rows(testsSql(wanted.state), wanted);
  }

  event(listingId: string, eventId: string): StoredEventRow | null {
    return (this.statements.event.get(listingId, eventId) as StoredEventRow | undefined) ?? null;
  }

  attemptsOf(listingId: string, eventIds: readonly string[]): DeliveryRow[] {
    return this.statements.attemptsOf.all(JSON.stringify(eventIds), listingId) as DeliveryRow[];
  }

  private rows(sql: string, { listingId, before, limit }: RowsWanted): StoredRow[] {
    const statement = this.prepared.get(sql) ?? this.database.prepare(sql);
    this.prepared.set(sql, statement);
    return statement.all({ listingId, limit, at: before.at, id: before.id }) as StoredRow[];
  }
}

const LATEST = `
  d.id AS deliveryId, d.started_at AS startedAt, d.outcome, d.http_status AS httpStatus, d.reason, d.facts,
  d.duration_ms AS durationMs`;

const EVENT = `
  e.id, 'vote' AS kind, e.created_at AS at, e.state, e.last, v.user_id AS userId, v.player, e.attempts,
  e.due_at AS dueAt, ${LATEST}`;

const FROM_EVENTS = `
  FROM events e JOIN votes v ON v.id = e.id LEFT JOIN deliveries d ON d.event_id = e.id AND d.attempt = e.attempts`;

/** SQLite uses the index only if its condition is in the query literally. */
const NOT_DELIVERED = "e.state <> 'delivered' AND";

const EVENT_STATES: Readonly<Record<EventState, string>> = {
  sending: `${NOT_DELIVERED} e.state = 'pending' AND e.last IS NULL`,
  retrying: `${NOT_DELIVERED} e.state = 'pending' AND e.last IS NOT NULL`,
  delivered: "e.state = 'delivered'",
  undelivered: `${NOT_DELIVERED} e.state = 'undelivered'`,
  failed: 'false',
};

const TEST_STATES: Readonly<Record<EventState, string>> = {
  sending: 'd.outcome IS NULL AND d.reason IS NULL',
  retrying: 'false',
  delivered: "d.outcome = 'delivered'",
  undelivered: 'false',
  failed: "(d.outcome IN ('retryable', 'permanent') OR (d.outcome IS NULL AND d.reason IS NOT NULL))",
};

const eventsSql = (state: EventState | null): string => `
  SELECT ${EVENT} ${FROM_EVENTS}
  WHERE e.listing_id = @listingId AND (e.created_at, e.id) < (@at, @id)
  AND ${state === null ? 'true' : EVENT_STATES[state]}
  ORDER BY e.created_at DESC, e.id DESC ${atMost('@limit')}`;

const testsSql = (state: EventState | null): string => `
  SELECT d.id, 'test' AS kind, d.started_at AS at, NULL AS state, NULL AS last, NULL AS userId, NULL AS player,
         1 AS attempts, NULL AS dueAt, ${LATEST}
  FROM deliveries d
  WHERE d.listing_id = @listingId AND d.event_id IS NULL AND (d.started_at, d.id) < (@at, @id)
  AND ${state === null ? 'true' : TEST_STATES[state]}
  ORDER BY d.started_at DESC, d.id DESC ${atMost('@limit')}`;

const prepareStatements = (db: Database) => ({
  event: db.prepare(`SELECT ${EVENT}, e.body ${FROM_EVENTS} WHERE e.listing_id = ? AND e.id = ?`),
  attemptsOf: db.prepare(`
    SELECT d.id AS deliveryId, d.event_id AS eventId, d.kind, d.attempt, d.started_at AS startedAt,
           d.duration_ms AS durationMs, d.http_status AS httpStatus, d.outcome, d.reason, d.facts,
           e.state AS eventState, e.last AS eventLast, e.attempts AS eventAttempts, e.created_at AS eventCreatedAt, e.due_at AS dueAt
    FROM json_each(?) wanted CROSS JOIN events e ON e.id = wanted.value JOIN deliveries d ON d.event_id = e.id
    WHERE e.listing_id = ? ORDER BY d.event_id, d.attempt`),
});
