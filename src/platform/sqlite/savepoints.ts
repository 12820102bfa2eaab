import type { Answer } from './calls.ts';
import type { Database } from './open.ts';

/** SQLite has rolled the transaction back by itself, as it may after an error of the disk. The cause says why. */
export class TransactionLost extends Error {}

/** One transaction at a time, with a savepoint for each call. */
export class Savepoints {
  private readonly statements;

  constructor(private readonly database: Database) {
    // Before a call changes a page, SQLite copies it, so that the call can be undone. By default it writes these copies
    // into a temporary file once they are more than 64 KiB, as they are for a vote: 40 KiB a vote, three quarters of all
    // that was written. Only here, because the copies for a change to a whole ledger would not fit into memory.
    if (!database.readonly) database.pragma('temp_store = MEMORY');
    this.statements = {
      begin: database.prepare('BEGIN IMMEDIATE'),
      commit: database.prepare('COMMIT'),
      rollback: database.prepare('ROLLBACK'),
      save: database.prepare('SAVEPOINT one_call'),
      release: database.prepare('RELEASE one_call'),
      undo: database.prepare('ROLLBACK TO one_call'),
    };
  }

  begin(): void {
    this.statements.begin.run();
  }

  commit(): void {
    this.statements.commit.run();
  }

  rollback(): void {
    if (this.database.inTransaction) this.statements.rollback.run();
  }

  /**
   * Does the work in a savepoint; if it fails, nothing of it remains.
   * @throws TransactionLost
   */
  run(work: () => unknown, problemOf: (error: unknown) => unknown): Answer {
    const { save, release, undo } = this.statements;
    save.run();
    try {
      const value = work();
      release.run();
      return { value };
    } catch (error) {
      if (!this.database.inTransaction)
        throw new TransactionLost('the transaction is lost', { cause: error });
      undo.run();
      release.run();
      return { error: problemOf(error) };
    }
  }
}
