import type { Database } from '../../platform/sqlite/open.ts';
import type { LedgerSize } from '../figure-reader.ts';

/** What is known of the ledger as a whole. */
export class LedgerFigures {
  private readonly statements;

  constructor(private readonly database: Database) {
    this.statements = prepareStatements(database);
  }

  /** The first part counts commits of other connections, the second the rows that this connection has changed. */
  revision(): number {
    const others = this.database.pragma('data_version', { simple: true }) as number;
    return others + (this.statements.ownChanges.get() as number);
  }

  size(): Omit<LedgerSize, 'grants'> {
    return this.statements.size.get() as Omit<LedgerSize, 'grants'>;
  }
}

const prepareStatements = (db: Database) => ({
  ownChanges: db.prepare('SELECT total_changes()').pluck(),
  size: db.prepare(`
    SELECT page_count * page_size AS bytes, freelist_count * page_size AS freeBytes,
           (SELECT ifnull(max(id), 0) FROM votes) AS votes
    FROM pragma_page_count, pragma_page_size, pragma_freelist_count`),
});
