import type { Database } from '../../platform/sqlite/open.ts';
import { commandCode, grantCode } from './stored-reason.ts';

/** Ends the commands that no process sends any more (rule 6). The caller holds the transaction. */
export class Interrupting {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** @returns how many commands are unknown now. */
  settle(now: number, of?: readonly string[]): number {
    const { countSending, leaveAnnouncements, endAnnouncing, holdSending, endSending } = this.statements;
    const which = { of: of === undefined ? null : JSON.stringify(of) };
    const sending = countSending.get(which) as number;
    leaveAnnouncements.run({ ...which, now });
    endAnnouncing.run({ ...which, now });
    holdSending.run({ ...which, now });
    endSending.run({ ...which, now });
    return sending;
  }
}

/** Of a command `c` and its grant `a`: it is being sent. */
const LEFT = "c.outcome = 'sending' AND (@of IS NULL OR a.server IN (SELECT value FROM json_each(@of)))";

const SENDING = `SELECT c.grant_id FROM commands c JOIN grants a ON a.id = c.grant_id WHERE ${LEFT}`;

/** The grants of which an announcement is being sent. */
const ANNOUNCING = `${SENDING} AND c.position >= json_extract(a.announcement, '$.first')`;

const prepareStatements = (db: Database) => ({
  countSending: db
    .prepare(`
    SELECT count(*) FROM commands c CROSS JOIN grants a ON a.id = c.grant_id WHERE ${LEFT}`)
    .pluck(),
  // An announcement that may have been sent is not sent again, nor are those after it.
  leaveAnnouncements: db.prepare(`
    UPDATE commands SET outcome = 'not-sent', reason = ${commandCode('process-ended')}, facts = NULL, ended_at = @now
    WHERE grant_id IN (${ANNOUNCING}) AND ifnull(outcome, 'not-sent') = 'not-sent'`),
  endAnnouncing: db.prepare(`
    UPDATE grants SET state = 'delivered', reason = NULL, facts = NULL, changed_at = @now, expires_at = NULL
    WHERE id IN (${ANNOUNCING})`),
  holdSending: db.prepare(`
    UPDATE grants SET state = CASE safe_to_run_twice WHEN 1 THEN 'pending' ELSE 'held' END,
                      reason = ${grantCode('process-ended')}, facts = NULL, changed_at = @now, expires_at = NULL
    WHERE id IN (${SENDING}) AND state <> 'delivered'`),
  endSending: db.prepare(`
    UPDATE commands SET outcome = 'unknown', reason = ${commandCode('process-ended')}, ended_at = @now
    WHERE outcome = 'sending' AND grant_id IN (${SENDING})`),
});
