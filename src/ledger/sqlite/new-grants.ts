import type { PlannedGrant } from '../../core/decide.ts';
import type { GrantReason } from '../../core/grant-reason.ts';
import type { GrantTerms } from '../../core/grant-terms.ts';
import { isPool } from '../../core/pool.ts';
import type { GrantState } from '../../core/settlement.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import { reasonColumns } from '../../platform/sqlite/reason-columns.ts';
import type { GrantCauseKind } from '../grant-row.ts';
import { Checks } from './checks.ts';
import { Combining } from './combining.ts';
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
  private readonly checks: Checks;
  private readonly combining: Combining;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.pools = new Pools(database);
    this.checks = new Checks(database);
    this.combining = new Combining(database);
  }

  /** @returns its ID. */
  insert(cause: GrantCause, grant: PlannedGrant, initial: InitialState, now: number): number {
    const { recipientId, player } = cause;
    const under = grant.terms === null ? null : this.under(grant.terms, grant, cause, initial, now);
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
    if (grant.checks !== null) this.checks.store(Number(lastInsertRowid), grant.checks);
    grant.commands.forEach((text, position) => {
      this.statements.insertCommand.run(lastInsertRowid, position, text);
    });
    if (grant.terms?.combine) this.combining.storeKey(Number(lastInsertRowid));
    return Number(lastInsertRowid);
  }

  /** What the operator orders is paid at once and does not expire, however many grants wait. No terms apply to what is not paid. */
  private under(
    { delayMs, expiresAfterMs, maxWaiting }: GrantTerms,
    grant: PlannedGrant,
    { recipientId }: GrantCause,
    initial: InitialState,
    now: number,
  ): { readonly initial: InitialState; readonly columns: readonly (number | null)[] } {
    const isBounded = maxWaiting === null ? null : 1;
    if (initial.state === 'cancelled') return { initial, columns: [null, null, null, null] };
    if (initial.reason?.code === 'by-operator') return { initial, columns: [null, null, null, isBounded] };
    const dueFrom = delayMs === 0 ? null : now + delayMs;
    const expiresAt = expiresAfterMs === null ? null : now + delayMs + expiresAfterMs;
    const columns = [dueFrom, expiresAfterMs, expiresAt, isBounded];
    const open = maxWaiting === null ? 0 : this.openOf(grant, recipientId);
    if (maxWaiting !== null && open >= maxWaiting)
      return { initial: { state: 'cancelled', reason: tooMany(open) }, columns };
    if (dueFrom === null || initial.state !== 'pending') return { initial, columns };
    return {
      initial: { state: 'waiting', reason: { code: 'delayed', facts: { until: dueFrom } } },
      columns,
    };
  }

  private openOf({ reward, server, practice }: PlannedGrant, recipientId: number): number {
    return this.statements.open.get({ reward, server, practice: Number(practice), recipientId }) as number;
  }
}

const tooMany = (waiting: number): GrantReason => ({ code: 'too-many-wait', facts: { waiting } });

const COLUMNS = `
  cause, cause_id, recipient_id, player, reward, occasion, server, practice, run_when, safe_to_run_twice, state,
  reason, facts, due_at, created_at, changed_at, choice, filled`;
const VALUES = '?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, ?, ?, ?';

const OF_PLAYER =
  'recipient_id = @recipientId AND reward = @reward AND server = @server AND practice = @practice';

const prepareStatements = (db: Database) => ({
  insertGrant: db.prepare(`INSERT INTO grants (${COLUMNS}) VALUES (${VALUES})`),
  insertOnTerms: db.prepare(`
    INSERT INTO grants (${COLUMNS}, due_from, expires_after, expires_at, is_bounded)
    VALUES (${VALUES}, ?, ?, ?, ?)`),
  // Pending grants that were made before the reward had maxWaiting are in no index by player, and few.
  open: db
    .prepare(`
    SELECT (SELECT count(*) FROM grants INDEXED BY grants_unpaid
            WHERE ${OF_PLAYER} AND state IN ('waiting', 'held', 'refused') AND state NOT IN ('pending', 'delivered'))
         + (SELECT count(*) FROM grants INDEXED BY grants_bounded
            WHERE ${OF_PLAYER} AND state = 'pending' AND is_bounded = 1)`)
    .pluck(),
  announce: db.prepare('UPDATE grants SET announcement = ? WHERE id = ?'),
  storeGranted: db.prepare('INSERT INTO granted (reward, server) VALUES (?, ?) ON CONFLICT DO NOTHING'),
  insertCommand: db.prepare('INSERT INTO commands (grant_id, position, text) VALUES (?, ?, ?)'),
});
