import type { PlannedGrant } from '../../core/decide.ts';
import type { GrantReason } from '../../core/grant-reason.ts';
import type { GrantTerms } from '../../core/grant-terms.ts';
import { isPool } from '../../core/pool.ts';
import type { GrantState } from '../../core/settlement.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { reasonColumns } from '../../platform/sqlite/reason-columns.ts';
import type { GrantCauseKind } from '../grant-row.ts';
import { Pools } from './pools.ts';

/** The state in which a grant is created. */
export interface InitialState {
  readonly state: GrantState;
  readonly reason: GrantReason | null;
}

/** Of what is earned by votes that another listener pays. */
export const IN_SHADOW: InitialState = { state: 'cancelled', reason: { code: 'shadow' } };

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
  private readonly pools: Pools;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.pools = new Pools(database);
  }

  /** @returns its ID. */
  insert(cause: GrantCause, grant: PlannedGrant, initial: InitialState, now: number): number {
    const { recipientId, player } = cause;
    const under = grant.terms === null ? null : this.under(grant.terms, initial, now);
    const { state, reason } = under?.initial ?? initial;
    const stored = reasonColumns(reason);
    const columns = [
      ...[cause.cause, cause.causeId, recipientId, player, grant.reward, grant.occasion, grant.server],
      ...[Number(grant.practice), grant.when, Number(grant.safeToRunTwice), state],
      ...[stored.reason, stored.facts, now, now],
      grant.choice === null ? null : JSON.stringify(grant.choice),
      Object.keys(grant.filled).length === 0 ? null : JSON.stringify(grant.filled),
    ];
    const { lastInsertRowid } =
      under === null
        ? this.statements.insertGrant.run(columns)
        : this.statements.insertOnTerms.run([...columns, ...under.columns]);
    if (grant.announcement !== null)
      this.statements.announce.run(JSON.stringify(grant.announcement), lastInsertRowid);
    this.statements.storeGranted.run(grant.reward, grant.server);
    if (isPool(grant.server)) this.pools.open(Number(lastInsertRowid), grant.server);
    grant.commands.forEach((text, position) => {
      this.statements.insertCommand.run(lastInsertRowid, position, text);
    });
    return Number(lastInsertRowid);
  }

  /** What the operator orders is paid at once and does not expire. No terms apply to what is not paid. */
  private under(
    { delayMs, expiresAfterMs }: GrantTerms,
    initial: InitialState,
    now: number,
  ): { readonly initial: InitialState; readonly columns: readonly (number | null)[] } {
    if (initial.state === 'cancelled' || initial.reason?.code === 'by-operator')
      return { initial, columns: [null, null, null] };
    const dueFrom = delayMs === 0 ? null : now + delayMs;
    const expiresAt = expiresAfterMs === null ? null : now + delayMs + expiresAfterMs;
    const columns = [dueFrom, expiresAfterMs, expiresAt];
    if (dueFrom === null || initial.state !== 'pending') return { initial, columns };
    return {
      initial: { state: 'waiting', reason: { code: 'delayed', facts: { until: dueFrom } } },
      columns,
    };
  }
}

const COLUMNS = `
  cause, cause_id, recipient_id, player, reward, occasion, server, practice, run_when, safe_to_run_twice, state,
  reason, facts, due_at, created_at, changed_at, choice, filled`;
const VALUES = '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?';

const prepareStatements = (db: Database) => ({
  insertGrant: db.prepare(`INSERT INTO grants (${COLUMNS}) VALUES (${VALUES})`),
  insertOnTerms: db.prepare(`
    INSERT INTO grants (${COLUMNS}, due_from, expires_after, expires_at)
    VALUES (${VALUES}, ?, ?, ?)`),
  announce: db.prepare('UPDATE grants SET announcement = ? WHERE id = ?'),
  storeGranted: db.prepare('INSERT INTO granted (reward, server) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  insertCommand: db.prepare('INSERT INTO commands (grant_id, position, text) VALUES (?, ?, ?)'),
});
