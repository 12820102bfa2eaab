import type { Cancel, Clock } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Database } from '../../sqlite/open.ts';
import { isDatabaseFault } from '../database-fault.ts';
import { RETENTION_MS } from './redelivery.ts';

const INTERVAL_MS = 60 * 60 * 1000;
/** Deleted at once; between two pieces everybody else has a turn. */
const PIECE = 500;

/**
 * Forgets events of which nothing has been heard for 90 days, with their deliveries, tests as old, and what became
 * of votes that were sent to listeners as long ago. An event that
 * still waits is never forgotten, however long the service was off.
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
    this.transaction = database.transaction((before: number) => this.forget(before));
  }

  start(): void {
    const isMore = !this.isClosed && this.pieceIsFull();
    if (isMore) this.clock.nextTurn(() => this.start());
    else if (!this.isClosed) this.cancel = this.clock.after(INTERVAL_MS, () => this.start());
  }

  close(): void {
    this.isClosed = true;
    this.cancel();
  }

  private pieceIsFull(): boolean {
    try {
      return this.transaction.immediate(this.clock.now() - RETENTION_MS) >= PIECE;
    } catch (error) {
      if (!isDatabaseFault(error)) throw error;
      this.log.warn({ code: 'pruning-failed', err: error }, `old deliveries stay for now: ${error.message}`);
      return false;
    }
  }

  /** @returns how many are gone. */
  private forget(before: number): number {
    const events = this.statements.oldEvents.all(before, PIECE) as string[];
    for (const id of events) {
      this.statements.deleteDeliveries.run(id);
      this.statements.deleteEvent.run(id);
    }
    const { deleteTests, deleteSends } = this.statements;
    return events.length + deleteTests.run(before, PIECE).changes + deleteSends.run(before, PIECE).changes;
  }
}

/** By listing, because that is how the tables are indexed by time; CROSS JOIN keeps SQLite to that order. */
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
