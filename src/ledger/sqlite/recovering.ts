import { EARLIEST_MS } from '../../core/clock.ts';
import type { Database } from '../../platform/sqlite/open.ts';

/** The statements of recovery: how far each site's missed votes have been fetched. */
export class Recovering {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  firstSeen(site: string, now: number): number {
    this.statements.storeFirstSeen.run({ site, now, earliest: EARLIEST_MS });
    return this.statements.firstSeenAt.get(site) as number;
  }

  recoveredUntil(site: string): number | null {
    return (this.statements.recoveredUntil.get(site) as number | null | undefined) ?? null;
  }

  setRecoveredUntil(site: string, until: number): void {
    this.statements.setRecoveredUntil.run(until, site);
  }

  knownEvents(service: string, eventIds: readonly string[]): ReadonlySet<string> {
    return new Set(this.statements.knownEvents.all(service, JSON.stringify(eventIds)) as string[]);
  }
}

const prepareStatements = (db: Database) => ({
  // A site whose votes came before this was first called has been seen since the first of them.
  storeFirstSeen: db.prepare(`
    INSERT INTO recoveries (site, met_at)
    VALUES (@site, min(@now, ifnull(
      (SELECT received_at FROM votes WHERE service = @site AND received_at >= @earliest ORDER BY id LIMIT 1), @now)))
    ON CONFLICT DO UPDATE SET met_at = excluded.met_at WHERE met_at > excluded.met_at`),
  firstSeenAt: db.prepare('SELECT met_at FROM recoveries WHERE site = ?').pluck(),
  recoveredUntil: db.prepare('SELECT recovered_until FROM recoveries WHERE site = ?').pluck(),
  setRecoveredUntil: db.prepare(`
    UPDATE recoveries SET recovered_until = max(?, ifnull(recovered_until, 0)) WHERE site = ?`),
  knownEvents: db
    .prepare('SELECT event_id FROM votes WHERE service = ? AND event_id IN (SELECT value FROM json_each(?))')
    .pluck(),
});
