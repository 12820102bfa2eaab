import type { Database } from '../sqlite/open.ts';
import type { QueueState } from './ledger.ts';

interface QueueRow extends QueueState {
  readonly server: string;
}

/** How the queues of the game servers stand, as the process that delivers last said. */
export class Queues {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  note(server: string, reason: QueueState['reason'], now: number): void {
    this.statements.note.run(server, reason, now);
  }

  /** What an earlier process knew says nothing about now. */
  forget(): void {
    this.statements.forget.run();
  }

  all(): ReadonlyMap<string, QueueState> {
    const rows = this.statements.all.all() as QueueRow[];
    return new Map(rows.map(({ server, ...state }) => [server, state]));
  }
}

const prepareStatements = (db: Database) => ({
  note: db.prepare(`
    INSERT INTO queues (server, reason, since) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason, since = excluded.since`),
  forget: db.prepare('DELETE FROM queues'),
  all: db.prepare('SELECT server, reason, since FROM queues'),
});
