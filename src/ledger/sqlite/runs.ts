import { DAY_MS } from '../../core/duration.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { Run } from '../ledger.ts';

/** How long it is known when a process ran. */
const KEPT_MS = 30 * DAY_MS;

/** When processes ran that recorded votes. */
export class Runs {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  keep(id: number | null, now: number): number {
    const kept = this.statements.keep.get({ id, now }) as number | undefined;
    if (kept !== undefined) return kept;
    this.statements.forget.run(now - KEPT_MS);
    return this.statements.start.get({ now }) as number;
  }

  end(id: number, now: number): void {
    this.statements.end.run({ id, now });
  }

  all(): Run[] {
    return this.statements.all.all() as Run[];
  }
}

const prepareStatements = (db: Database) => ({
  // If the clock was set back, the run began no later than the clock says now.
  keep: db
    .prepare('UPDATE runs SET started_at = min(started_at, @now), seen_at = @now WHERE id = @id RETURNING id')
    .pluck(),
  start: db.prepare('INSERT INTO runs (started_at, seen_at) VALUES (@now, @now) RETURNING id').pluck(),
  end: db.prepare(`
    UPDATE runs SET started_at = min(started_at, @now), seen_at = @now, ended_at = @now WHERE id = @id`),
  // The last run before is kept: it says since when none ran.
  forget: db.prepare('DELETE FROM runs WHERE seen_at < (SELECT max(seen_at) FROM runs WHERE seen_at < ?)'),
  all: db.prepare(`
    SELECT started_at AS startedAt, seen_at AS seenAt, ended_at AS endedAt FROM runs ORDER BY started_at, id`),
});
