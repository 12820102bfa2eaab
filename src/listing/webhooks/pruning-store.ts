import type { Database } from 'better-sqlite3';
import { atMost } from '../store/at-most.ts';

/** The IDs of rows that are too old to keep. */
export interface OldRows {
  readonly events: readonly string[];
  readonly tests: readonly string[];
  readonly sends: readonly string[];
}

/** The statements that find and delete what is too old. */
export class PruningStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Events that have not changed since then, tests, and votes sent to listeners; at most `limit` of each. */
  old(before: number, limit: number): OldRows {
    const { oldEvents, oldTests, oldSends } = this.statements;
    return {
      events: oldEvents.all(before, limit) as string[],
      tests: oldTests.all(before, limit) as string[],
      sends: oldSends.all(before, limit) as string[],
    };
  }

  /** Events that have changed meanwhile stay. */
  delete({ events, tests, sends }: OldRows, before: number): void {
    const { isStillOld, deleteDeliveries, deleteEvent, deleteTest, deleteSend } = this.statements;
    for (const id of events) {
      if (isStillOld.get(id, before) === undefined) continue;
      deleteDeliveries.run(id);
      deleteEvent.run(id);
    }
    for (const id of tests) deleteTest.run(id);
    for (const id of sends) deleteSend.run(id);
  }
}

/** By listing, as the indexes by time are; CROSS JOIN makes SQLite keep that order. */
const prepareStatements = (db: Database) => ({
  oldEvents: db
    .prepare(`
    SELECT e.id FROM listings l CROSS JOIN events e ON e.listing_id = l.id
    WHERE e.changed_at < ? AND e.state <> 'pending' ${atMost('?')}`)
    .pluck(),
  oldTests: db
    .prepare(`
    SELECT d.id FROM listings l CROSS JOIN deliveries d ON d.listing_id = l.id
    WHERE d.started_at < ? AND d.event_id IS NULL ${atMost('?')}`)
    .pluck(),
  oldSends: db
    .prepare(`
    SELECT s.id FROM listings l CROSS JOIN listener_sends s ON s.listing_id = l.id WHERE s.started_at < ? ${atMost('?')}`)
    .pluck(),
  isStillOld: db.prepare("SELECT 1 FROM events WHERE id = ? AND changed_at < ? AND state <> 'pending'"),
  deleteDeliveries: db.prepare('DELETE FROM deliveries WHERE event_id = ?'),
  deleteEvent: db.prepare('DELETE FROM events WHERE id = ?'),
  deleteTest: db.prepare('DELETE FROM deliveries WHERE id = ?'),
  deleteSend: db.prepare('DELETE FROM listener_sends WHERE id = ?'),
});
