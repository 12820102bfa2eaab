/**
 * What an operator does by hand. With grants: pays, redirects, continues and ends them, and gives rewards without a vote. With votes:
 * rewards them after all, and voids them.
 */
import { type Cooldown, windowOf } from '../core/cooldown.ts';
import type { DecisionKind, GrantedRewards, RewardReasons } from '../core/decide.ts';
import { isForgotten } from '../core/forgotten-name.ts';
import { localDay } from '../core/local-time.ts';
import type { Occasion } from '../core/occasion.ts';
import { type PlayerName, playerKey } from '../core/player-name.ts';
import { serversIn } from '../core/pool.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import { closeCommand } from '../core/template.ts';
import type { Vote } from '../core/vote.ts';
import type { Tx } from '../db/db.ts';
import { historyOfGivenNeeds, voteOf } from '../rewards/decide.ts';
import { grantsGiven } from '../rewards/grants.ts';
import { History } from '../rewards/history.ts';
import { needsHistory } from '../rewards/judge-if.ts';
import type { Draws, Reward, Rules } from '../rewards/reward.ts';
import { earnedBy, isSpentBy } from './earn.ts';
import {
  addPlayer,
  knownOf,
  type Player,
  playerNamed,
  playerWithId,
  recipientOf,
  VOTER,
  type Voter,
} from './facts.ts';
import type { GrantActionKind } from './grant.ts';
import { addToNetwork, recountPlayer } from './history-counts.ts';
import { rewardNamed, rewardsNamed, useRewards } from './known-rewards.ts';
import { noteAction } from './meta.ts';
import { oweNamed } from './owe.ts';
import { changeGrants, grantWith, type Row } from './queue.ts';
import { spend } from './record.ts';
import { type Attempted, outcomesColumn, readOutcomes, reasonsColumn } from './rows.ts';

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

/** The state of a grant for which an operator's change is not possible. */
interface NotChanged {
  readonly kind: 'not-changed';
  readonly state: GrantState | 'sending' | 'missing';
}

export type Change = { readonly kind: 'changed' } | NotChanged;

/** The result when the operator says that a command ran. */
export type Continued =
  /** `delivered` if that command was the last one. */
  | { readonly kind: 'continued'; readonly state: Extract<GrantState, 'pending' | 'delivered'> }
  /** The grant is held or refused for a reason other than a command. */
  | { readonly kind: 'none-ran'; readonly state: GrantState }
  | NotChanged;

/** How to go on with a grant whose command did run. */
export interface ContinueOrder extends GrantOrder {
  /** The kind of each game server. A grant held because its game server changed is then owed on the new one. */
  readonly kindByServer: ReadonlyMap<string, string>;
}

/** How to pay a grant that is held or refused. */
export interface PaymentOrder extends ContinueOrder {
  /** Another player to pay instead; the grant may then also be `waiting`. Absent or null: the same player. */
  readonly to?: PlayerName | null;
  /** New texts for its commands that are not delivered; null: no change. Commands past the last text are dropped. */
  readonly texts: readonly string[] | null;
}

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

interface Refused<Code extends ProblemCode> {
  readonly kind: 'refused';
  readonly code: Code;
}

export type RewardGiven =
  | { readonly kind: 'given'; readonly grantIds: readonly number[] }
  /** `reward-unfit`: it has nothing to run for this occasion. */
  | Refused<'occasion-spent' | 'reward-unfit'>;

/** Why the operator cannot reward a vote. */
export type VoteRewardRefusal =
  | 'vote-missing'
  | 'vote-rewarded'
  | 'vote-rewarded-by-operator'
  | 'vote-imported'
  | 'vote-no-player'
  | 'vote-forgotten'
  | 'vote-voided';

export type LateReward = (GrantedRewards & { readonly kind: 'grantable' }) | Refused<VoteRewardRefusal>;

export type RewardedVoteNow =
  | { readonly kind: 'granted'; readonly grantIds: readonly number[]; readonly reasons: RewardReasons }
  | Refused<VoteRewardRefusal>;

/** By what a vote is rewarded that was recorded earlier. */
export interface LateRules {
  /** The entry of `sites` that its service has now. */
  readonly site: string;
  readonly cooldown: Cooldown;
  readonly rules: Rules;
  readonly draws: Draws;
}

/** Why the operator cannot void a vote. */
export type VoidRefusal = 'vote-missing' | 'vote-voided';

/** Who voids votes, and why. */
export interface VoidOrder {
  /** The account on this machine. */
  readonly by: string;
  readonly reason: string;
}

export type Voided = { readonly kind: 'voided' } | (Refused<VoidRefusal> & { readonly id: number });

const CHANGED: Change = { kind: 'changed' };

const isStuck = ({ state }: Row): boolean => state === 'held' || state === 'refused';

/** The grant, unless it has changed since it was shown, or is none that may be changed so. */
async function asShown(
  tx: Tx,
  grantId: number,
  { shownChange }: GrantOrder,
  mayBe: (row: Row) => boolean,
): Promise<Row | NotChanged> {
  const row = await grantWith(tx, grantId);
  if (row === null) return { kind: 'not-changed', state: 'missing' };
  return (shownChange === undefined || shownChange === row.changedAt) && mayBe(row) ? row : notChanged(row);
}

const notChanged = ({ sending, state }: Row): NotChanged => ({
  kind: 'not-changed',
  state: sending === null ? state : 'sending',
});

/**
 * From `held` or `refused` to `pending`: the command that stopped it and those after it will run. A grant that is redirected to another
 * player keeps its delivered commands as they ran.
 */
export async function pay(tx: Tx, grantId: number, order: PaymentOrder, now: number): Promise<Change> {
  const shown = await asShown(tx, grantId, order, () => true);
  if ('kind' in shown) return shown;
  const { texts, kindByServer, to, by } = order;
  const redirected = to == null ? null : await redirect(tx, shown, to, now);
  const row = redirected ?? shown;
  if (!isStuck(shown) && redirected === null) return notChanged(shown);
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
  const practice = isStuck(shown) ? practiceNow(row, kindByServer) : row.practice;
  const state = isOver ? 'delivered' : 'pending';
  const set = 'due_at = 0, expires_at = NULL, practice = $5, commands = $6, outcomes = $7';
  const left = JSON.stringify(kept.map((at) => rendered[at]));
  const leftOutcomes = outcomesColumn(kept.map((at) => again[at] ?? null));
  await changeGrants(tx, { state, reason, now }, set, 'id = $8', [practice, left, leftOutcomes, grantId]);
  const kind: GrantActionKind = redirected === null ? 'pay' : 'redirect';
  await noteAction(tx, { kind, at: now, by, grantId });
  return CHANGED;
}

/** Changes the grant as if the other player's vote had created it. @returns null if that cannot be. */
async function redirect(tx: Tx, row: Row, to: PlayerName, now: number): Promise<Row | null> {
  const isOpen = row.state === 'waiting' || isStuck(row);
  if (!isOpen || row.sending !== null || row.player === null || row.key === playerKey(to)) return null;
  const recipient = { kind: 'player', key: playerKey(to) } as const;
  const { playerId } = (await playerNamed(tx, recipient)) ?? (await addPlayer(tx, recipient));
  const outcomes = readOutcomes(row.outcomes);
  const stored = (JSON.parse(row.texts) as string[]).map((text, at) => {
    const tried = outcomes[at];
    if (tried?.outcome !== 'delivered') return text;
    return closeCommand(text, { player: row.player, uuid: row.uuid, now: tried.startedAt });
  });
  const texts = JSON.stringify(stored);
  // If the player that the cause names gets it after all, it is not redirected any more.
  await tx.run(
    `UPDATE grants SET player_id = $1, player = $2, uuid = NULL, commands = $4,
       instead_of = nullif(coalesce(instead_of, player_id), $1),
       redirected_at = CASE WHEN coalesce(instead_of, player_id) = $1 THEN NULL ELSE CAST($3 AS BIGINT) END WHERE id = $5`,
    [playerId, to, now, texts, row.id],
  );
  return { ...row, playerId, player: to, texts };
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
  const row = await asShown(tx, grantId, order, isStuck);
  if ('kind' in row) return row;
  const outcomes = [...readOutcomes(row.outcomes)];
  const texts = JSON.parse(row.texts) as string[];
  const isDone = (_: string, at: number): boolean => outcomes[at]?.outcome === 'delivered';
  const stopped = texts.findIndex((text, at) => !isDone(text, at));
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
  const isOver = texts.every(isDone);
  const state = isOver ? 'delivered' : 'pending';
  const practice = isOver ? row.practice : practiceNow(row, order.kindByServer);
  const to = { state, reason: { code: 'ran-by-operator' }, now } as const;
  const set = 'due_at = 0, expires_at = NULL, practice = $5, outcomes = $6';
  await changeGrants(tx, to, set, 'id = $7', [practice, outcomesColumn(outcomes), grantId]);
  await noteAction(tx, { kind: 'ran' satisfies GrantActionKind, at: now, by: order.by, grantId });
  return { kind: 'continued', state };
}

/** From `held` or `refused` to `delivered`: nothing more is run. */
export const markPaid = (tx: Tx, grantId: number, order: GrantOrder, now: number): Promise<Change> =>
  end(tx, grantId, order, isStuck, { state: 'delivered', reason: { code: 'marked-paid' }, now });

/** From any open state to `cancelled`. */
export const cancel = (tx: Tx, grantId: number, order: GrantOrder, now: number): Promise<Change> =>
  end(tx, grantId, order, isOpen, { state: 'cancelled', reason: { code: 'cancelled-by-operator' }, now });

const isOpen = ({ state, sending }: Row): boolean =>
  state !== 'delivered' && state !== 'cancelled' && sending === null;

async function end(
  tx: Tx,
  grantId: number,
  order: GrantOrder,
  mayBe: (row: Row) => boolean,
  to: Parameters<typeof changeGrants>[1],
): Promise<Change> {
  const row = await asShown(tx, grantId, order, mayBe);
  if ('kind' in row) return row;
  await changeGrants(tx, to, '', 'id = $5', [grantId]);
  const kind: GrantActionKind = to.state === 'delivered' ? 'mark-paid' : 'cancel';
  await noteAction(tx, { kind, at: to.now, by: order.by, grantId });
  return CHANGED;
}

const BY_OPERATOR = { state: 'pending', reason: { code: 'by-operator' } } as const;

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
  const causeId = await noteAction(tx, { kind: 'give', at: now, by, playerId, nameId, facts: player });
  if (occasion.name !== '')
    await tx.run(
      `INSERT INTO occasions (reward_id, player_id, name_id, occasion, how, cast_at, day, takes) VALUES ($1, $2, $3, $4, 'given', $5, $6, 0)
       ON CONFLICT (reward_id, name_id, occasion) WHERE occasion <> '' DO UPDATE SET how = 'given', vote_id = NULL`,
      [rootId, playerId, occasion.isNetworks ? 0 : nameId, occasion.name, now, today],
    );
  const cause = { cause: 'operator', causeId, playerId, nameId, player } as const;
  return { kind: 'given', grantIds: await oweNamed(tx, cause, grants, BY_OPERATOR, now) };
}

interface StoredVote extends Voter, Pick<Vote, 'service' | 'castAt' | 'channel'> {
  readonly id: number;
  readonly decision: DecisionKind;
  readonly day: number;
  readonly weight: number;
  /** How often the operator has voided it and rewarded it, and how many grants it has. */
  readonly voided: number;
  readonly rewarded: number;
  readonly grants: number;
}

const storedVote = (tx: Tx, id: number): Promise<StoredVote | null> =>
  tx.get<StoredVote>(
    `SELECT ${VOTER}, v.id, v.service, v.cast_at AS "castAt", v.day, v.channel, v.decision, v.weight,
            (SELECT count(*) FROM actions a WHERE a.vote_id = v.id AND a.kind = 'void') AS voided,
            (SELECT count(*) FROM actions a WHERE a.vote_id = v.id AND a.kind = 'reward') AS rewarded,
            (SELECT count(*) FROM grants g WHERE g.cause = 'vote' AND g.cause_id = v.id) AS grants
     FROM votes v JOIN names n ON n.id = v.name_id WHERE v.id = $1`,
    [id],
  );

/** What a vote that was not rewarded would be granted now, or why the operator cannot reward it. */
export async function lateReward(tx: Tx, voteId: number, by: LateRules): Promise<LateReward> {
  const vote = await rewardable(tx, voteId);
  if (typeof vote === 'string') return { kind: 'refused', code: vote };
  return { kind: 'grantable', ...(await earnedLate(tx, vote, by)) };
}

/**
 * Creates the grants of `lateReward`, once. The vote keeps its decision, takes no window and is added to no total; it takes places of
 * limits.
 */
export async function rewardVote(
  tx: Tx,
  voteId: number,
  by: LateRules,
  now: number,
): Promise<RewardedVoteNow> {
  const vote = await rewardable(tx, voteId);
  if (typeof vote === 'string') return { kind: 'refused', code: vote };
  // The config may have rewards that the running one does not have yet.
  await useRewards(tx, by.rules.rewards, localDay(now, by.rules.zone));
  const earned = await earnedLate(tx, vote, by);
  const rewards = await rewardsNamed(tx);
  const reasons = reasonsColumn(earned.reasons, (name) => rewards.get(name)?.id ?? 0);
  const { playerId, nameId, castAt, day, player } = vote;
  const facts = JSON.stringify({ reasons });
  await noteAction(tx, { kind: 'reward', at: now, by: '', voteId, playerId, nameId, facts });
  await spend(tx, { ...earned, spent: [] }, vote, { id: voteId, castAt, day, takesPlaces: true });
  const cause = { cause: 'vote', causeId: voteId, playerId, nameId, player } as const;
  const grantIds = await oweNamed(tx, cause, earned.grants, BY_OPERATOR, now);
  return { kind: 'granted', grantIds, reasons: earned.reasons };
}

async function rewardable(tx: Tx, voteId: number): Promise<StoredVote | VoteRewardRefusal> {
  const vote = await storedVote(tx, voteId);
  if (vote === null) return 'vote-missing';
  if (vote.voided > 0) return 'vote-voided';
  if (isForgotten(vote)) return 'vote-forgotten';
  if (vote.channel === 'import') return 'vote-imported';
  if (vote.rewarded > 0) return 'vote-rewarded-by-operator';
  if (vote.decision === 'rewarded' || vote.grants > 0) return 'vote-rewarded';
  return vote.decision === 'no-player' ? 'vote-no-player' : vote;
}

/** What the vote meant for totals and streaks was decided when it came, so rewards for those are left out. */
async function earnedLate(tx: Tx, vote: StoredVote, { site, cooldown, rules, draws }: LateRules) {
  const { service, castAt, day } = vote;
  const judged = {
    ...{ service, site, castAt, day, zone: rules.zone },
    recipient: recipientOf(vote),
    standing: 'rewarded',
    nextAt: windowOf(castAt, cooldown).end,
  } as const;
  const late = { ...rules, rewards: rules.rewards.filter((reward) => !needsHistory(reward)) };
  const player = (await playerWithId(tx, vote.playerId)) as Player;
  return await earnedBy(tx, player, judged, { rules: late, draws, today: day }, false);
}

/**
 * Takes votes out of all counts and days, all of them or none. They keep their windows, their grants and the occasions that they spent
 * (rule 14), and what was reached stays reached.
 */
export async function voidVotes(
  tx: Tx,
  ids: readonly number[],
  { by, reason }: VoidOrder,
  now: number,
): Promise<Voided> {
  const votes: StoredVote[] = [];
  for (const id of ids) {
    const vote = await storedVote(tx, id);
    if (vote === null) return { kind: 'refused', code: 'vote-missing', id };
    if (vote.voided > 0) return { kind: 'refused', code: 'vote-voided', id };
    votes.push(vote);
  }
  for (const { id: voteId, playerId, nameId, weight, service } of votes) {
    const facts = JSON.stringify({ reason, weight });
    await noteAction(tx, { kind: 'void', at: now, by, voteId, playerId, nameId, facts });
    await tx.run('UPDATE votes SET weight = 0 WHERE id = $1', [voteId]);
    if (weight !== 2) continue;
    await addToNetwork(tx, service, -1);
    // Out of the rounds in progress; of a round that was reached, the count stays as it was.
    await tx.run(
      `UPDATE parties SET counted = counted - 1 WHERE fixed_at IS NULL AND reached_by IS NULL
         AND EXISTS (SELECT 1 FROM party_votes m WHERE m.party_id = parties.id AND m.vote_id = $1)`,
      [voteId],
    );
  }
  for (const playerId of new Set(votes.map((vote) => vote.playerId))) await recountPlayer(tx, playerId);
  tx.forget('voided');
  return { kind: 'voided' };
}
