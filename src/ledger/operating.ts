import type { GrantState } from '../core/settlement.ts';
import type { Database } from '../sqlite/open.ts';
import { serversJson } from './granting.ts';
import type { Change, PaymentOrder } from './ledger.ts';

const CHANGED: Change = { kind: 'changed' };

/** The operator's changes to grants: each a single conditional update (rule 6). */
export class Operating {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  pay(grantId: number, { texts, kindByServer }: PaymentOrder, now: number): Change {
    const { changes } = this.statements.pay.run(now, serversJson(kindByServer), grantId);
    if (changes === 0) return this.notChanged(grantId);
    this.statements.resetCommands.run(grantId);
    texts?.forEach((text, position) => {
      this.statements.rerender.run(text, grantId, position);
    });
    return CHANGED;
  }

  markPaid(grantId: number, now: number): Change {
    return this.statements.markPaid.run(now, grantId).changes === 1 ? CHANGED : this.notChanged(grantId);
  }

  cancel(grantId: number, now: number): Change {
    return this.statements.cancel.run(now, grantId).changes === 1 ? CHANGED : this.notChanged(grantId);
  }

  private notChanged(grantId: number): Change {
    const state = this.statements.state.get(grantId) as GrantState | 'sending' | undefined;
    return { kind: 'not-changed', state: state ?? 'missing' };
  }
}

const prepareStatements = (db: Database) => ({
  state: db
    .prepare(`
    SELECT CASE WHEN EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')
           THEN 'sending' ELSE state END
    FROM grants WHERE id = ?`)
    .pluck(),
  pay: db.prepare(`
    UPDATE grants SET state = 'pending', note = 'to be paid by the operator’s word', due_at = 0, changed_at = ?,
      practice = coalesce(
        (SELECT s.value ->> 'kind' = 'practice' FROM json_each(?) s WHERE s.value ->> 'name' = server), practice)
    WHERE id = ? AND state IN ('held', 'refused')`),
  resetCommands: db.prepare(
    "UPDATE commands SET outcome = NULL WHERE grant_id = ? AND outcome IS NOT 'delivered'",
  ),
  rerender: db.prepare(`
    UPDATE commands SET text = ? WHERE grant_id = ? AND position = ? AND outcome IS NOT 'delivered'`),
  markPaid: db.prepare(`
    UPDATE grants SET state = 'delivered', note = 'marked as paid by the operator', changed_at = ?
    WHERE id = ? AND state IN ('held', 'refused')`),
  cancel: db.prepare(`
    UPDATE grants SET state = 'cancelled', note = 'cancelled by the operator', changed_at = ?
    WHERE id = ? AND state IN ('pending', 'waiting', 'held', 'refused')
      AND NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')`),
});
