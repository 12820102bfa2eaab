/** What was earned becomes grants, whatever was the cause. */
import type { PlannedGrant } from '../core/decide.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import type { GrantTerms } from '../core/grant-terms.ts';
import { isPool, serversIn } from '../core/pool.ts';
import { reasonColumns } from '../core/reason-columns.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Figures } from '../core/template.ts';
import type { Recipient } from '../core/vote.ts';
import { insertReturning, insertRows, type Tx, type Value } from '../db/db.ts';
import { historyOfGivenNeeds, voteOf } from '../rewards/decide.ts';
import { type Granted, planGrants } from '../rewards/grants.ts';
import { History } from '../rewards/history.ts';
import type { Draws, Reward, Rules } from '../rewards/reward.ts';
import { knownOf, NOBODY, playerWithId } from './facts.ts';
import type { GrantCauseKind } from './grant.ts';
import { grantEvents } from './outbox.ts';
import { jsonColumn } from './rows.ts';

/** The state in which a grant is created. */
export interface InitialState {
  readonly state: GrantState;
  readonly reason: GrantReason | null;
}

/** Of what is earned by votes that another listener pays. */
export const IN_SHADOW: InitialState = { state: 'cancelled', reason: { code: 'shadow' } };

/** The parts of its cause that a grant stores. */
interface Cause {
  readonly cause: GrantCauseKind;
  readonly causeId: number;
  readonly playerId: number;
  readonly nameId: number;
  /** null: for nobody in particular, or a user ID. */
  readonly player: string | null;
}

const COLUMNS = `grants (cause, cause_id, player_id, name_id, player, reward, occasion, server, pool, practice, run_when, safe, state,
  reason, facts, commands, due_at, created_at, changed_at, choice, filled, due_from, expires_after, expires_at, announcement)`;

/** With one statement for all of them. */
export async function owe(
  tx: Tx,
  cause: Cause,
  grants: readonly PlannedGrant[],
  initial: InitialState,
  now: number,
): Promise<void> {
  // IDs cost time, so they are asked for only where something is told of the grants.
  if (initial.state === 'held' || initial.state === 'refused')
    await oweNamed(tx, cause, grants, initial, now);
  else if (grants.length > 0) {
    await insertRows(tx, COLUMNS, rowsOf(cause, grants, initial, now));
    await rememberPlaces(tx, grants);
  }
}

/** The same. @returns their IDs. */
export async function oweNamed(
  tx: Tx,
  cause: Cause,
  grants: readonly PlannedGrant[],
  initial: InitialState,
  now: number,
): Promise<readonly number[]> {
  const made = await insertReturning<{ id: number }>(tx, COLUMNS, rowsOf(cause, grants, initial, now), 'id');
  const ids = made.map(({ id }) => id).sort((one, other) => one - other);
  await rememberPlaces(tx, grants);
  // No terms change such a state, so it is that of all of them.
  if (initial.state === 'held' || initial.state === 'refused')
    await grantEvents(tx, ids, initial.state, initial.reason?.code ?? null, now);
  return ids;
}

const rowsOf = (cause: Cause, grants: readonly PlannedGrant[], initial: InitialState, now: number) =>
  grants.map((grant) => rowOf(cause, grant, underTerms(grant.terms, initial, now), now));

interface Under extends InitialState {
  readonly dueFrom: number | null;
  readonly expiresAfter: number | null;
  readonly expiresAt: number | null;
}

/** What the operator orders is paid at once and does not expire. No terms apply to what is not paid. */
function underTerms(terms: GrantTerms | null, initial: InitialState, now: number): Under {
  const atOnce = initial.state === 'cancelled' || initial.reason?.code === 'by-operator';
  if (terms === null || atOnce)
    return {
      state: initial.state,
      reason: initial.reason,
      dueFrom: null,
      expiresAfter: null,
      expiresAt: null,
    };
  const { delayMs, expiresAfterMs: expiresAfter } = terms;
  const dueFrom = delayMs === 0 ? null : now + delayMs;
  const expiresAt = expiresAfter === null ? null : now + delayMs + expiresAfter;
  const delayed: InitialState = {
    state: 'waiting',
    reason: { code: 'delayed', facts: { until: dueFrom ?? now } },
  };
  const { state, reason } = dueFrom !== null && initial.state === 'pending' ? delayed : initial;
  return { state, reason, dueFrom, expiresAfter, expiresAt };
}

function rowOf(cause: Cause, grant: PlannedGrant, under: Under, now: number): readonly Value[] {
  const { reason, facts } = reasonColumns(under.reason);
  return [
    cause.cause,
    cause.causeId,
    cause.playerId,
    cause.nameId,
    cause.player,
    grant.reward,
    grant.occasion,
    grant.server,
    isPool(grant.server) ? grant.server : null,
    Number(grant.practice),
    grant.when,
    Number(grant.safeToRunTwice),
    under.state,
    reason,
    facts,
    JSON.stringify(grant.commands),
    0,
    now,
    now,
    jsonColumn(grant.choice),
    jsonColumn(grant.filled),
    under.dueFrom,
    under.expiresAfter,
    under.expiresAt,
    jsonColumn(grant.announcement),
  ];
}

/** Which game servers are in which pools: forget it where that changes. */
export const POOLS = 'pools';
/** Which places were stored: forget it where one is removed. */
export const PLACES = 'granted';

/** Which rewards were ever granted on which game servers, and in which pools they are: known from then on. */
async function rememberPlaces(tx: Tx, grants: readonly PlannedGrant[]): Promise<void> {
  const known = await tx.memo(PLACES, async () => new Set<string>());
  for (const { reward, server } of grants) {
    const place = JSON.stringify([reward, server]);
    if (known.has(place)) continue;
    await insertRows(tx, 'granted (reward, server)', [[reward, server]], 'ON CONFLICT DO NOTHING');
    await openPool(tx, server);
    known.add(place);
  }
}

/** The game servers of a pool can find what is owed on it. */
export async function openPool(tx: Tx, pool: string): Promise<void> {
  if (!isPool(pool)) return;
  const rows = serversIn(pool).map((server) => [server, pool]);
  tx.forget(POOLS);
  await insertRows(tx, 'pools (server, pool)', rows, 'ON CONFLICT DO NOTHING');
}

/** What one player gets of what was earned together. */
export interface Share extends Granted {
  readonly reward: Reward;
  readonly recipient: Recipient;
  /** The day whose figures the commands show, as days since 1970-01-01. */
  readonly day: number;
  /** Figures that do not depend on the player. */
  readonly shared?: Figures;
  readonly initial: InitialState;
}

/** Owes what no single vote is the cause of. @returns how many grants: one for each game server. */
export async function oweShare(
  tx: Tx,
  cause: Cause,
  share: Share,
  { rules, draws }: { readonly rules: Rules; readonly draws: Draws },
  now: number,
): Promise<number> {
  const { reward, recipient, day, shared, initial } = share;
  const vote = voteOf(recipient, day, now, rules.zone);
  const needs = historyOfGivenNeeds(reward, vote, rules);
  const player = (await playerWithId(tx, cause.playerId)) ?? NOBODY;
  const history = new History(needs, await knownOf(tx, player, needs, now), null);
  const source = { vote, history, draws, rules };
  const planned = planGrants(reward, share, shared === undefined ? source : { ...source, shared });
  await owe(tx, cause, planned, initial, now);
  return planned.length;
}
