import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../sqlite/open.ts';
import { isDatabaseFault } from '../database-fault.ts';
import { RETENTION_MS } from './redelivery.ts';

const INTERVAL_MS = 60 * 60 * 1000;
/** Rows deleted in one transaction; other work runs between two batches. */
const BATCH_ROWS = 500;

/**
 * Deletes what is older than 90 days: events that have not changed for that long, with their deliveries, tests, and the
 * log of votes sent to listeners. Pending events are never deleted, however long the service was off.
 */
export class Pruning {
  private readonly transaction;
  private readonly statements;
  private cancel: Cancel = () => {};
  private isClosed = false;

  constructor(
    database: Database,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {
    this.statements = prepareStatements(database);
    this.transaction = database.transaction((before: number) => this.deleteOld(before));
  }

  start(): void {
    const isMore = !this.isClosed && this.isBatchFull();
    if (isMore) this.clock.nextTurn(() => this.start());
    else if (!this.isClosed) this.cancel = this.clock.after(INTERVAL_MS, () => this.start());
  }

  close(): void {
    this.isClosed = true;
    this.cancel();
  }

  private isBatchFull(): boolean {
    try {
      return this.transaction.immediate(this.clock.now() - RETENTION_MS) >= BATCH_ROWS;
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.log.warn(
        { code: 'pruning-failed', err: error },
        `could not delete old deliveries; trying again in an hour: ${error.message}`,
      );
      return false;
    }
  }

  /** @returns the number of deleted events, tests and sends. */
  private deleteOld(before: number): number {
    const events = this.statements.oldEvents.all(before, BATCH_ROWS) as string[];
    for (const id of events) {
      this.statements.deleteDeliveries.run(id);
      this.statements.deleteEvent.run(id);
    }
    const { deleteTests, deleteSends } = this.statements;
    return (
      events.length +
      deleteTests.run(before, BATCH_ROWS).changes +
      deleteSends.run(before, BATCH_ROWS).changes
    );
  }
}

/** By listing, as the indexes by time are; CROSS JOIN makes SQLite keep that order. */
const prepareStatements = (db: Database) => ({
  oldEvents: db
    .prepare(`
    SELECT e.id FROM listings l CROSS JOIN events e ON e.listing_id = l.id
    WHERE e.changed_at < ? AND e.state <> 'pending' LIMIT ?`)
    .pluck(),
  deleteDeliveries: db.prepare('DELETE FROM deliveries WHERE event_id = ?'),
  deleteEvent: db.prepare('DELETE FROM events WHERE id = ?'),
  deleteTests: db.prepare(`
    DELETE FROM deliveries WHERE id IN (
      SELECT d.id FROM listings l CROSS JOIN deliveries d ON d.listing_id = l.id
      WHERE d.started_at < ? AND d.event_id IS NULL LIMIT ?)`),
  deleteSends: db.prepare(`
    DELETE FROM listener_sends WHERE id IN (
      SELECT s.id FROM listings l CROSS JOIN listener_sends s ON s.listing_id = l.id WHERE s.started_at < ? LIMIT ?)`),
});
