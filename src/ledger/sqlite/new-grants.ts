import type { PlannedGrant } from '../../core/decide.ts';
import type { GrantReason } from '../../core/grant-reason.ts';
import type { GrantState } from '../../core/settlement.ts';
import type { Database } from '../../sqlite/open.ts';
import { reasonColumns } from '../../sqlite/reason-columns.ts';

/** The state in which a grant is created. */
export interface InitialState {
  readonly state: GrantState;
  readonly reason: GrantReason | null;
}

/** What a grant is made for: a vote, or a reward that the operator gives. */
export type GrantCauseKind = 'vote' | 'operator';

/** The parts of its cause that a grant stores. */
export interface GrantCause {
  readonly cause: GrantCauseKind;
  readonly causeId: number;
  readonly recipientId: number;
  readonly player: string | null;
}

/** The statements that create grants. The caller holds the transaction. */
export class NewGrants {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** @returns its ID. */
  insert(
    { cause, causeId, recipientId, player }: GrantCause,
    grant: PlannedGrant,
    { state, reason }: InitialState,
    now: number,
  ): number {
    const stored = reasonColumns(reason);
    const { lastInsertRowid } = this.statements.insertGrant.run(
      cause,
      causeId,
      recipientId,
      player,
      grant.reward,
      grant.occasion,
      grant.server,
      Number(grant.practice),
      grant.when,
      Number(grant.safeToRunTwice),
      state,
      stored.reason,
      stored.facts,
      now,
      now,
      grant.choice === null ? null : JSON.stringify(grant.choice),
      Object.keys(grant.filled).length === 0 ? null : JSON.stringify(grant.filled),
    );
    this.statements.storeGranted.run(grant.reward, grant.server);
    grant.commands.forEach((text, position) => {
      this.statements.insertCommand.run(lastInsertRowid, position, text);
    });
    return Number(lastInsertRowid);
  }
}

const prepareStatements = (db: Database) => ({
  insertGrant: db.prepare(`
    INSERT INTO grants (cause, cause_id, recipient_id, player, reward, occasion, server, practice, run_when, safe_to_run_twice,
                        state, reason, facts, due_at, created_at, changed_at, choice, filled)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?)`),
  storeGranted: db.prepare('INSERT INTO granted (reward, server) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  insertCommand: db.prepare('INSERT INTO commands (grant_id, position, text) VALUES (?, ?, ?)'),
});
