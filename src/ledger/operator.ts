/** What an operator does with grants: pays, redirects, continues, ends them, and gives rewards without a vote. */
import { localDay } from '../core/local-time.ts';
import type { Occasion } from '../core/occasion.ts';
import { type PlayerName, playerKey } from '../core/player-name.ts';
import { serversIn } from '../core/pool.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import { closeCommand } from '../core/template.ts';
import type { Tx } from '../db/db.ts';
import { historyOfGivenNeeds, voteOf } from '../rewards/decide.ts';
import type { Draws } from '../rewards/draws.ts';
import { grantsGiven } from '../rewards/grants.ts';
import { History } from '../rewards/history.ts';
import type { Reward, Rules } from '../rewards/reward.ts';
import { isSpentBy } from './earn.ts';
import { addPlayer, idOf, knownOf, playerNamed } from './facts.ts';
import type { GrantActionKind } from './grant.ts';
import { rewardNamed, useRewards } from './known-rewards.ts';
import { oweNamed } from './owe.ts';
import { changeGrants, grantWith, type Row } from './queue.ts';
import { type Attempted, outcomesColumn, readOutcomes } from './rows.ts';

/** Who changes a grant by hand. */
export interface GrantOrder {
  /** The account on this machine, or how someone signed in to the console. */
  readonly by: string;
  /**
   * When the grant had last changed, as it was shown to them. If it has changed since, also to the same state, it is left
   * as it is. Absent: whatever its last change.
   */
  readonly shownChange?: number;
}

/** The result of an operator's change: done, or the state of a grant for which it is not possible. */
export type Change =
  | { readonly kind: 'changed' }
  | { readonly kind: 'not-changed'; readonly state: GrantState | 'sending' | 'missing' };

/** The result when the operator says that a command ran. */
export type Continued =
  /** `delivered` if that command was the last one. */
  | { readonly kind: 'continued'; readonly state: Extract<GrantState, 'pending' | 'delivered'> }
  /** The grant is held or refused for a reason other than a command. */
  | { readonly kind: 'none-ran'; readonly state: GrantState }
  | Extract<Change, { readonly kind: 'not-changed' }>;

/** How to pay a grant that is held or refused. */
export interface PaymentOrder extends GrantOrder {
  /** Another player to pay instead; the grant may then also be `waiting`. Absent or null: the same player. */
  readonly to?: PlayerName | null;
  /** New texts for its commands that are not delivered; null: no change. Commands past the last text are dropped. */
  readonly texts: readonly string[] | null;
  /** The kind of each game server. A grant held because its game server changed is then owed on the new one. */
  readonly kindByServer: ReadonlyMap<string, string>;
}

/** How to go on with a grant whose command did run. */
export type ContinueOrder = GrantOrder & Pick<PaymentOrder, 'kindByServer'>;

/** A reward that the operator gives to a player without a vote. */
export interface GivenReward {
  /** Its `servers` are those on which it is granted. */
  readonly reward: Reward;
  readonly player: PlayerName;
  /** It is spent (rule 14); without a name, nothing is. */
  readonly occasion: Occasion;
  /** The account on this machine. */
  readonly by: string;
  readonly rules: Rules;
  readonly draws: Draws;
}

export type RewardGiven =
  | { readonly kind: 'given'; readonly grantIds: readonly number[] }
  /** `reward-unfit`: it has nothing to run for this occasion. */
  | { readonly kind: 'refused'; readonly code: Extract<ProblemCode, 'occasion-spent' | 'reward-unfit'> };

const CHANGED: Change = { kind: 'changed' };

type NotChanged = Extract<Change, { kind: 'not-changed' }>;

/** The grant, unless it has changed since it was shown. */
async function asShown(tx: Tx, grantId: number, { shownChange }: GrantOrder): Promise<Row | NotChanged> {
  const row = await grantWith(tx, grantId);
  if (row === null) return { kind: 'not-changed', state: 'missing' };
  return shownChange === undefined || shownChange === row.changedAt ? row : notChanged(row);
}

const notChanged = ({ sending, state }: Row): NotChanged => ({
  kind: 'not-changed',
  state: sending === null ? state : 'sending',
});

const acted = (tx: Tx, grantId: number, kind: GrantActionKind, by: string, now: number): Promise<number> =>
  tx.run('INSERT INTO actions (kind, at, by, grant_id) VALUES ($1, $2, $3, $4)', [kind, now, by, grantId]);

/**
 * From `held` or `refused` to `pending`: the command that stopped it and those after it will run. A grant that is redirected to another
 * player keeps its delivered commands as they ran.
 */
export async function pay(tx: Tx, grantId: number, order: PaymentOrder, now: number): Promise<Change> {
  const shown = await asShown(tx, grantId, order);
  if ('kind' in shown) return shown;
  const { texts, kindByServer, to, by } = order;
  const redirected = to == null ? null : await redirect(tx, shown, to, now);
  const row = redirected ?? shown;
  const isStuck = shown.state === 'held' || shown.state === 'refused';
  if (!isStuck && redirected === null) return notChanged(shown);
  const stored = JSON.parse(row.texts) as string[];
  const outcomes = readOutcomes(row.outcomes);
  const isDone = (at: number): boolean => outcomes[at]?.outcome === 'delivered';
  const again = stored.map((_, at): Attempted | null =>
    isDone(at) || outcomes[at] == null ? (outcomes[at] ?? null) : { ...outcomes[at], outcome: null },
  );
  const rendered = stored.map((text, at) => (isDone(at) ? text : (texts?.[at] ?? text)));
  // Commands past the last text are dropped.
  const kept = rendered.flatMap((_, at) => (texts === null || at < texts.length || isDone(at) ? [at] : []));
  const dropped = rendered.length - kept.length;
  const isOver = dropped > 0 && kept.every(isDone);
  const reason = { code: 'by-operator', ...(dropped > 0 ? { facts: { dropped } } : {}) } as const;
  const practice = isStuck ? practiceNow(row, kindByServer) : row.practice;
  const state = isOver ? 'delivered' : 'pending';
  const set = 'due_at = 0, expires_at = NULL, practice = $5, commands = $6, outcomes = $7';
  const left = JSON.stringify(kept.map((at) => rendered[at]));
  const leftOutcomes = outcomesColumn(kept.map((at) => again[at] ?? null));
  await changeGrants(tx, { state, reason, now }, set, 'id = $8', [practice, left, leftOutcomes, grantId]);
  await acted(tx, grantId, redirected === null ? 'pay' : 'redirect', by, now);
  return CHANGED;
}

/** Changes the grant as if the other player's vote had created it. @returns null if that cannot be. */
async function redirect(tx: Tx, row: Row, to: PlayerName, now: number): Promise<Row | null> {
  const isOpen = row.state === 'waiting' || row.state === 'held' || row.state === 'refused';
  if (!isOpen || row.sending !== null || row.player === null || row.key === playerKey(to)) return null;
  const recipient = { kind: 'player', key: playerKey(to) } as const;
  const { playerId } = (await playerNamed(tx, recipient)) ?? (await addPlayer(tx, recipient));
  const outcomes = readOutcomes(row.outcomes);
  const texts = (JSON.parse(row.texts) as string[]).map((text, at) => {
    const tried = outcomes[at];
    if (tried?.outcome !== 'delivered') return text;
    return closeCommand(text, { player: row.player, uuid: row.uuid, now: tried.startedAt });
  });
  await tx.run(
    `UPDATE grants SET player_id = $1, player = $2, uuid = NULL, instead_of = coalesce(instead_of, player_id),
       redirected_at = $3, commands = $4 WHERE id = $5`,
    [playerId, to, now, JSON.stringify(texts), row.id],
  );
  // The player that the cause names gets it after all.
  await tx.run(
    'UPDATE grants SET instead_of = NULL, redirected_at = NULL WHERE id = $1 AND instead_of = player_id',
    [row.id],
  );
  return { ...row, playerId, player: to, texts: JSON.stringify(texts) };
}

/** Whether its game server is a practice one now; for a pool, if one of them is of the kind that it had, that kind. */
function practiceNow(row: Row, kindByServer: ReadonlyMap<string, string>): number {
  const kinds = serversIn(row.server).flatMap((server) => kindByServer.get(server) ?? []);
  const found = kinds.map((kind) => (kind === 'practice' ? 1 : 0));
  return found.length === 0 || found.includes(row.practice === 1 ? 1 : 0) ? row.practice : (found[0] ?? 0);
}

/** The command that stopped a `held` or `refused` grant did run: it counts as delivered, and the grant goes on with the next one. */
export async function continueAfter(
  tx: Tx,
  grantId: number,
  order: ContinueOrder,
  now: number,
): Promise<Continued> {
  const row = await asShown(tx, grantId, order);
  if ('kind' in row) return row;
  if (row.state !== 'held' && row.state !== 'refused') return notChanged(row);
  const outcomes = [...readOutcomes(row.outcomes)];
  const count = (JSON.parse(row.texts) as unknown[]).length;
  const isDone = (at: number): boolean => outcomes[at]?.outcome === 'delivered';
  const stopped = Array.from({ length: count }, (_, at) => at).find((at) => !isDone(at)) ?? -1;
  const tried = outcomes[stopped];
  if (tried?.outcome !== 'unknown' && tried?.outcome !== 'refused')
    return { kind: 'none-ran', state: row.state };
  const before = tried.reason?.code;
  outcomes[stopped] = {
    ...{ ...tried, outcome: 'delivered', endedAt: now, reply: tried.reply === '' ? null : tried.reply },
    reason: {
      code: 'ran-by-operator',
      ...(before === undefined ? {} : { facts: { before } }),
    } as Attempted['reason'],
  };
  const isOver = Array.from({ length: count }, (_, at) => at).every(isDone);
  const state: Extract<GrantState, 'pending' | 'delivered'> = isOver ? 'delivered' : 'pending';
  const practice = isOver ? row.practice : practiceNow(row, order.kindByServer);
  const to = { state, reason: { code: 'ran-by-operator' }, now } as const;
  const set = 'due_at = 0, expires_at = NULL, practice = $5, outcomes = $6';
  await changeGrants(tx, to, set, 'id = $7', [practice, outcomesColumn(outcomes), grantId]);
  await acted(tx, grantId, 'ran', order.by, now);
  return { kind: 'continued', state };
}

/** From `held` or `refused` to `delivered`: nothing more is run. */
export async function markPaid(tx: Tx, grantId: number, order: GrantOrder, now: number): Promise<Change> {
  const row = await asShown(tx, grantId, order);
  if ('kind' in row) return row;
  if (row.state !== 'held' && row.state !== 'refused') return notChanged(row);
  await changeGrants(tx, { state: 'delivered', reason: { code: 'marked-paid' }, now }, '', 'id = $5', [
    grantId,
  ]);
  await acted(tx, grantId, 'mark-paid', order.by, now);
  return CHANGED;
}

/** From any open state to `cancelled`. */
export async function cancel(tx: Tx, grantId: number, order: GrantOrder, now: number): Promise<Change> {
  const row = await asShown(tx, grantId, order);
  if ('kind' in row) return row;
  const isOpen = row.state !== 'delivered' && row.state !== 'cancelled' && row.sending === null;
  if (!isOpen) return notChanged(row);
  const to = { state: 'cancelled', reason: { code: 'cancelled-by-operator' }, now } as const;
  await changeGrants(tx, to, '', 'id = $5', [grantId]);
  await acted(tx, grantId, 'cancel', order.by, now);
  return CHANGED;
}

/** Creates grants whose cause is the operator: no window, condition or limit is looked at. */
export async function giveReward(tx: Tx, given: GivenReward, now: number): Promise<RewardGiven> {
  const { reward, occasion, player, by, rules, draws } = given;
  const today = localDay(now, rules.zone);
  await useRewards(tx, [reward], today);
  const recipient = { kind: 'player', key: playerKey(player), player } as const;
  const to = (await playerNamed(tx, recipient)) ?? (await addPlayer(tx, recipient));
  const rootId = (await rewardNamed(tx, reward.name))?.rootId ?? 0;
  if (occasion.name !== '' && (await isSpentBy(tx, to, rootId, occasion.name)))
    return { kind: 'refused', code: 'occasion-spent' };
  const vote = voteOf(recipient, today, now, rules.zone);
  const needs = historyOfGivenNeeds(reward, vote, rules);
  const history = new History(needs, await knownOf(tx, to, needs, now), null);
  const grants = grantsGiven(reward, occasion, { vote, history, draws, rules });
  if (grants.length === 0) return { kind: 'refused', code: 'reward-unfit' };
  const { playerId, nameId } = to;
  const action = `INSERT INTO actions (kind, at, by, player_id, name_id, facts) VALUES ('give', $1, $2, $3, $4, $5)`;
  const causeId = await idOf(tx, action, [now, by, playerId, nameId, player]);
  if (occasion.name !== '')
    await tx.run(
      `INSERT INTO occasions (reward_id, player_id, name_id, occasion, how, cast_at, day, takes) VALUES ($1, $2, $3, $4, 'given', $5, $6, 0)
       ON CONFLICT (reward_id, name_id, occasion) WHERE occasion <> '' DO UPDATE SET how = 'given', vote_id = NULL`,
      [rootId, playerId, occasion.isNetworks ? 0 : nameId, occasion.name, now, today],
    );
  const cause = { cause: 'operator', causeId, playerId, nameId, player } as const;
  const initial = { state: 'pending', reason: { code: 'by-operator' } } as const;
  return { kind: 'given', grantIds: await oweNamed(tx, cause, grants, initial, now) };
}
