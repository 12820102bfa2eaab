import type { Database } from '../../platform/sqlite/open.ts';
import type { Cursor } from '../../web/paging.ts';
import { RETENTION_MS } from './redelivery.ts';

/** Why a run stopped. */
export type RunEnd = 'done' | 'stopped' | 'disabled' | 'paused' | 'no-webhook';

/** One run of "redeliver all undelivered since …", with its progress. */
export interface RedeliveryRun {
  /** The run covers votes cast from this time until `startedAt`. */
  readonly since: number;
  readonly startedAt: number;
  /** The number of events when it started. */
  readonly total: number;
  readonly delivered: number;
  readonly failed: number;
  /** Already delivered, deleted or being sent when their turn came. */
  readonly skipped: number;
  readonly state: 'running' | RunEnd;
  readonly endedAt: number | null;
}

export interface NewRun {
  readonly listingId: string;
  /** The run covers votes cast from this time until `now`. */
  readonly since: number;
  /** The number of events. */
  readonly total: number;
  readonly now: number;
}

/** The result for one event of a run. */
export type RunStep = 'delivered' | 'failed' | 'skipped';

/** The statements of the runs. The latest run of each listing is kept. */
export class RedeliveryRunStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  find(listingId: string): RedeliveryRun | null {
    return (this.statements.find.get(listingId) as RedeliveryRun | undefined) ?? null;
  }

  /** Listings with a run in progress. */
  running(): string[] {
    return this.statements.running.all() as string[];
  }

  /** The number of undelivered events of votes cast since then that are recent enough to be redelivered. */
  count(listingId: string, since: number, now: number): number {
    return this.statements.count.get(listingId, Math.max(since, now - RETENTION_MS), now) as number;
  }

  begin(run: NewRun): void {
    this.statements.begin.run(run);
  }

  /** The next undelivered event of a run in progress, in the order in which the votes were cast; null after the last. */
  next(listingId: string): Cursor | null {
    return (this.statements.next.get(listingId) as Cursor | undefined) ?? null;
  }

  advance(listingId: string, { at, id }: Cursor, step: RunStep): void {
    this.statements.advance[step].run(at, id, listingId);
  }

  end(listingId: string, state: RunEnd, now: number): void {
    this.statements.end.run(state, now, listingId);
  }
}

const advance = (db: Database, step: RunStep) =>
  db.prepare(`
    UPDATE redelivery_runs SET last_at = ?, last_id = ?, ${step} = ${step} + 1
    WHERE listing_id = ? AND state = 'running'`);

/** SQLite uses the index only if its condition, `state <> 'delivered'`, is in the query. */
const UNDELIVERED = "e.state <> 'delivered' AND e.state = 'undelivered'";

const prepareStatements = (db: Database) => ({
  find: db.prepare(`
    SELECT since, started_at AS startedAt, total, delivered, failed, skipped, state, ended_at AS endedAt
    FROM redelivery_runs WHERE listing_id = ?`),
  running: db.prepare("SELECT listing_id FROM redelivery_runs WHERE state = 'running'").pluck(),
  count: db
    .prepare(`
    SELECT count(*) FROM events e
    WHERE e.listing_id = ? AND ${UNDELIVERED} AND e.created_at >= ? AND e.created_at <= ?`)
    .pluck(),
  begin: db.prepare(`
    INSERT OR REPLACE INTO redelivery_runs (listing_id, since, started_at, total, last_at, last_id, state)
    VALUES (@listingId, @since, @now, @total, @since, '', 'running')`),
  next: db.prepare(`
    SELECT e.created_at AS at, e.id FROM redelivery_runs r JOIN events e ON e.listing_id = r.listing_id
    WHERE r.listing_id = ? AND r.state = 'running' AND ${UNDELIVERED}
    AND (e.created_at, e.id) > (r.last_at, r.last_id) AND e.created_at <= r.started_at
    ORDER BY e.created_at, e.id LIMIT 1`),
  advance: {
    delivered: advance(db, 'delivered'),
    failed: advance(db, 'failed'),
    skipped: advance(db, 'skipped'),
  },
  end: db.prepare(
    "UPDATE redelivery_runs SET state = ?, ended_at = ? WHERE listing_id = ? AND state = 'running'",
  ),
});
