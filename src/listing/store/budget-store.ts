import type { Database } from 'better-sqlite3';
import type { WindowUse } from '../../core/fixed-windows.ts';

/** How much of a listing's budget is used in its window. */
export interface StoredBudget extends WindowUse {
  readonly listingId: string;
  readonly name: string;
}

/** The statements of the budgets. */
export class BudgetStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  find(listingId: string, name: string): WindowUse | undefined {
    return this.statements.find.get(listingId, name) as WindowUse | undefined;
  }

  save({ listingId, name, openedAt, used }: StoredBudget): void {
    this.statements.save.run(listingId, name, openedAt, used);
  }
}

const prepareStatements = (db: Database) => ({
  find: db.prepare('SELECT opened_at AS openedAt, used FROM budgets WHERE listing_id = ? AND name = ?'),
  save: db.prepare(`
    INSERT INTO budgets (listing_id, name, opened_at, used) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET opened_at = excluded.opened_at, used = excluded.used`),
});
