import type { GrantChecks } from '../../core/grant-checks.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { OpenChecks, WaitingGrant } from '../ledger.ts';
import { grantCode } from './stored-reason.ts';

/** As a statement reads what an open grant asks. */
export interface ChecksColumns {
  readonly checks: string | null;
  readonly conditionMet: number | null;
  readonly timesAsked: number | null;
}

export function openChecks({ checks, conditionMet, timesAsked }: ChecksColumns): OpenChecks | null {
  if (checks === null) return null;
  const { payIf, orElse, verify } = JSON.parse(checks) as GrantChecks;
  const isOpen = payIf !== null && conditionMet === null;
  return {
    payIf: isOpen ? { condition: payIf, hasOrElse: orElse.length > 0, times: timesAsked ?? 0 } : null,
    verify,
  };
}

/** What the grants of some rewards ask their game servers. The caller holds the transaction where one is needed. */
export class Checks {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** For a new grant. */
  store(grantId: number, checks: GrantChecks): void {
    this.statements.store.run(JSON.stringify(checks), grantId);
  }

  met(grantId: number): void {
    this.statements.met.run(grantId);
  }

  askAgain(grantId: number): void {
    this.statements.askAgain.run(grantId);
  }

  payOrElse({ id, server }: WaitingGrant, now: number): void {
    const checks = this.statements.unmet.get({ id, server, now }) as string | undefined;
    if (checks === undefined) return;
    const { orElse } = JSON.parse(checks) as GrantChecks;
    this.statements.dropCommands.run(id);
    orElse.forEach((text, position) => {
      this.statements.addCommand.run(id, position, text);
    });
  }
}

const prepareStatements = (db: Database) => ({
  store: db.prepare('UPDATE grants SET checks = ? WHERE id = ?'),
  met: db.prepare('UPDATE grants SET condition_met = 1 WHERE id = ? AND condition_met IS NULL'),
  askAgain: db.prepare('UPDATE grants SET condition_met = NULL WHERE id = ? AND condition_met = 1'),
  // Where it was, so that it is the next one to be paid: its commands may change what is asked about the one after it.
  unmet: db
    .prepare(`
    UPDATE grants SET condition_met = 0, choice = '{"from":"orElse"}',
      announcement = CASE json_extract(announcement, '$.first') WHEN 0 THEN announcement END,
      reason = iif(state = 'waiting', ${grantCode('player-offline')}, NULL), facts = NULL, due_at = 0, changed_at = @now
    WHERE id = @id AND server = @server AND state IN ('pending', 'waiting') AND condition_met IS NULL
      AND json_array_length(checks, '$.orElse') > 0
      AND NOT EXISTS (SELECT 1 FROM commands WHERE grant_id = grants.id AND outcome = 'sending')
    RETURNING checks`)
    .pluck(),
  dropCommands: db.prepare('DELETE FROM commands WHERE grant_id = ?'),
  addCommand: db.prepare('INSERT INTO commands (grant_id, position, text) VALUES (?, ?, ?)'),
});
