import type { Database } from '../../platform/sqlite/open.ts';
import { grantCode } from './stored-reason.ts';

/** Holds what is open for players whose names belong to others now. The caller holds the transaction. */
export class NameHolding {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /**
   * Everything of a history that waits or is pending. A command that is being sent ends as it does, and what is delayed is
   * held when its delay is over.
   */
  hold(historyId: number, now: number): void {
    this.statements.hold.run({ historyId, now });
  }

  holdOne(grantId: number, now: number): void {
    this.statements.holdOne.run({ grantId, now });
  }

  /** @returns whether anything was held. */
  release(historyId: number, now: number): boolean {
    return this.statements.release.run({ historyId, now }).changes > 0;
  }
}

/** Without a player, it is for nobody in particular. */
const TAKEN = `state = 'held', reason = ${grantCode('name-taken')}, facts = NULL, changed_at = @now`;
const NOT_SENDING = "NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')";

const prepareStatements = (db: Database) => ({
  hold: db.prepare(`
    UPDATE grants SET ${TAKEN} WHERE ${NOT_SENDING} AND player IS NOT NULL AND id IN (
      SELECT id FROM grants WHERE recipient_id = @historyId AND state = 'waiting'
        AND reason IS NOT ${grantCode('delayed')}
      UNION ALL SELECT id FROM grants WHERE state = 'pending' AND recipient_id = @historyId)`),
  holdOne: db.prepare(`
    UPDATE grants SET ${TAKEN}
    WHERE id = @grantId AND state IN ('pending', 'waiting') AND player IS NOT NULL AND ${NOT_SENDING}
      AND (SELECT paid_as FROM recipients WHERE id = grants.recipient_id) = ''`),
  release: db.prepare(`
    UPDATE grants SET state = 'pending', reason = NULL, facts = NULL, due_at = 0, changed_at = @now
    WHERE id IN (SELECT id FROM grants WHERE recipient_id = @historyId AND state = 'held'
                 AND state NOT IN ('pending', 'delivered'))
      AND reason = ${grantCode('name-taken')}`),
});
