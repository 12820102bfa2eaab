import type { Database } from '../../platform/sqlite/open.ts';
import type { GrantActionKind } from '../grant-row.ts';

/** Who changed which grant by hand, and when. The caller holds the transaction. */
export class GrantActions {
  private readonly statements;

  constructor(database: Database) {
    this.statements = {
      store: database.prepare(
        'INSERT INTO grant_actions (grant_id, action, acted_at, acted_by) VALUES (?, ?, ?, ?)',
      ),
    };
  }

  store(grantId: number, action: GrantActionKind, by: string, now: number): void {
    this.statements.store.run(grantId, action, now, by);
  }
}
