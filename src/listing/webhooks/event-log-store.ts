import type { Statement } from 'better-sqlite3';
import { playerKey } from '../../core/player-name.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Cursor } from '../../web/paging.ts';
import type { DeliveryKind } from './delivery-store.ts';
import type { LogFilter, StoredEventRow, StoredRow } from './event-rows.ts';
import type { DeliveryRow } from './log-rows.ts';

export interface RowsWanted extends LogFilter {
  readonly listingId: string;
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
    if (wanted.kind === 'test' || wanted.kind === 'probe') return [];
    return this.rows(eventsSql(wanted), wanted);
  }

  /** Tests and probes alone, newest first; they have no player. */
  trials(wanted: RowsWanted): StoredRow[] {
    if (wanted.kind === 'vote' || wanted.kind === 'redelivery' || wanted.player !== null) return [];
    return this.rows(trialsSql(wanted), wanted);
  }

  event(listingId: string, eventId: string): StoredEventRow | null {
    return (this.statements.event.get(listingId, eventId) as StoredEventRow | undefined) ?? null;
  }

  attemptsOf(listingId: string, eventIds: readonly string[]): DeliveryRow[] {
    return this.statements.attemptsOf.all(JSON.stringify(eventIds), listingId) as DeliveryRow[];
  }

  private rows(
    sql: string,
    { listingId, kind, player, from, until, before, limit }: RowsWanted,
  ): StoredRow[] {
    const statement = this.prepared.get(sql) ?? this.database.prepare(sql);
    this.prepared.set(sql, statement);
    return statement.all({
      ...{ listingId, kind, limit, at: before.at, id: before.id },
      from: from ?? 0,
      until: until ?? Number.MAX_SAFE_INTEGER,
      userId: player,
      playerKey: player === null ? null : playerKey(player),
    }) as StoredRow[];
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

const EVENT_STATES: Readonly<Record<NonNullable<LogFilter['state']>, string>> = {
  sending: `${NOT_DELIVERED} e.state = 'pending' AND e.last IS NULL`,
  retrying: `${NOT_DELIVERED} e.state = 'pending' AND e.last IS NOT NULL`,
  delivered: "e.state = 'delivered'",
  undelivered: `${NOT_DELIVERED} e.state = 'undelivered'`,
  failed: 'false',
};

const TRIAL_STATES: Readonly<Record<NonNullable<LogFilter['state']>, string>> = {
  sending: 'd.outcome IS NULL AND d.reason IS NULL',
  retrying: 'false',
  delivered: "d.outcome = 'delivered'",
  undelivered: 'false',
  failed: "(d.outcome IN ('retryable', 'permanent') OR (d.outcome IS NULL AND d.reason IS NOT NULL))",
};

const OF_PLAYER = `e.id IN (
  SELECT id FROM votes WHERE listing_id = @listingId AND player_key = @playerKey
  UNION ALL SELECT id FROM votes WHERE listing_id = @listingId AND user_id = @userId)`;

const WAS_REDELIVERED = "EXISTS (SELECT 1 FROM deliveries WHERE event_id = e.id AND kind = 'redelivery')";

const eventsSql = ({ state, kind, player }: LogFilter): string => `
  SELECT ${EVENT} ${FROM_EVENTS}
  WHERE e.listing_id = @listingId AND (e.created_at, e.id) < (@at, @id)
  AND e.created_at >= @from AND e.created_at < @until
  AND ${state === null ? 'true' : EVENT_STATES[state]}
  AND ${player === null ? 'true' : OF_PLAYER}
  AND ${kind === ('redelivery' satisfies DeliveryKind) ? WAS_REDELIVERED : 'true'}
  ORDER BY e.created_at DESC, e.id DESC ${atMost('@limit')}`;

const trialsSql = ({ state, kind }: LogFilter): string => `
  SELECT d.id, d.kind, d.started_at AS at, NULL AS state, NULL AS last, NULL AS userId, NULL AS player,
         1 AS attempts, NULL AS dueAt, ${LATEST}
  FROM deliveries d
  WHERE d.listing_id = @listingId AND d.event_id IS NULL AND (d.started_at, d.id) < (@at, @id)
  AND d.started_at >= @from AND d.started_at < @until
  AND ${state === null ? 'true' : TRIAL_STATES[state]}
  AND ${kind === null ? 'true' : 'd.kind = @kind'}
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
