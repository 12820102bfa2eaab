import type { Database } from '../../platform/sqlite/open.ts';
import type { QueueState } from '../ledger.ts';

interface QueueRow extends QueueState {
  readonly server: string;
}

/** The state of each game server's queue, as last stored by the process that delivers. */
export class Queues {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  store(server: string, reason: QueueState['reason'], now: number): void {
    this.statements.store.run(server, reason, now);
  }

  /** For a new process: the states that an earlier one stored are out of date. */
  forget(): void {
    this.statements.forget.run();
  }

  all(): ReadonlyMap<string, QueueState> {
    const rows = this.statements.all.all() as QueueRow[];
    return new Map(rows.map(({ server, ...state }) => [server, state]));
  }
}

const prepareStatements = (db: Database) => ({
  store: db.prepare(`
    INSERT INTO queues (server, reason, since) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET reason = excluded.reason, since = excluded.since`),
  forget: db.prepare('DELETE FROM queues'),
  all: db.prepare('SELECT server, reason, since FROM queues'),
});
