/** What becomes of votes after they were recorded: the operator voids them, rewards them after all, or lists their service. */
import { type Cooldown, windowOf } from '../core/cooldown.ts';
import type { DecisionKind, Earned, GrantedRewards, RewardReasons } from '../core/decide.ts';
import { isForgotten } from '../core/forgotten-name.ts';
import { localDay } from '../core/local-time.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { Channel, Recipient } from '../core/vote.ts';
import type { Tx } from '../db/db.ts';
import { needsHistory } from '../rewards/decide.ts';
import type { Draws } from '../rewards/draws.ts';
import type { Rules } from '../rewards/reward.ts';
import { earnedBy } from './earn.ts';
import { idOf, type Player, playerWithId, recipientOf } from './facts.ts';
import { addToNetwork, recountPlayer } from './history-counts.ts';
import { rewardsNamed, useRewards } from './known-rewards.ts';
import { oweNamed } from './owe.ts';
import { spend } from './record.ts';
import { reasonsColumn } from './rows.ts';

/** Why the operator cannot reward a vote. */
export type VoteRewardRefusal = Extract<
  ProblemCode,
  | 'vote-missing'
  | 'vote-rewarded'
  | 'vote-rewarded-by-operator'
  | 'vote-imported'
  | 'vote-no-player'
  | 'vote-forgotten'
  | 'vote-voided'
>;

export type LateReward =
  | (GrantedRewards & { readonly kind: 'grantable' })
  | { readonly kind: 'refused'; readonly code: VoteRewardRefusal };

export type RewardedVoteNow =
  | { readonly kind: 'granted'; readonly grantIds: readonly number[]; readonly reasons: RewardReasons }
  | { readonly kind: 'refused'; readonly code: VoteRewardRefusal };

/** Why the operator cannot void a vote. */
export type VoidRefusal = Extract<ProblemCode, 'vote-missing' | 'vote-voided'>;

/** Who voids votes, and why. */
export interface VoidOrder {
  /** The account on this machine. */
  readonly by: string;
  readonly reason: string;
}

export type Voided =
  | { readonly kind: 'voided' }
  | { readonly kind: 'refused'; readonly code: VoidRefusal; readonly id: number };

/** By what a vote is rewarded that was recorded earlier. */
export interface LateRules {
  /** The entry of `sites` that its service has now. */
  readonly site: string;
  readonly cooldown: Cooldown;
  readonly rules: Rules;
  readonly draws: Draws;
}

interface StoredVote {
  readonly id: number;
  readonly service: string;
  readonly castAt: number;
  readonly day: number;
  readonly playerId: number;
  readonly nameId: number;
  readonly kind: Recipient['kind'];
  readonly key: string;
  readonly player: string | null;
  readonly channel: Channel;
  readonly decision: DecisionKind;
  readonly weight: number;
}

const VOTE = `
  SELECT v.id, v.service, v.cast_at AS "castAt", v.day, v.player_id AS "playerId", v.name_id AS "nameId", n.kind, n.key,
         v.player, v.channel, v.decision, v.weight
  FROM votes v JOIN names n ON n.id = v.name_id WHERE v.id = $1`;

const isActed = async (tx: Tx, voteId: number, kind: string): Promise<boolean> =>
  (await tx.get('SELECT 1 FROM actions WHERE vote_id = $1 AND kind = $2', [voteId, kind])) !== null;

/**
 * Takes votes out of all counts and days, all of them or none. They keep their windows, their grants and the occasions that they spent
 * (rule 14), and what was reached stays reached.
 */
export async function voidVotes(
  tx: Tx,
  ids: readonly number[],
  order: VoidOrder,
  now: number,
): Promise<Voided> {
  const votes: StoredVote[] = [];
  for (const id of ids) {
    const vote = await tx.get<StoredVote>(VOTE, [id]);
    if (vote === null) return { kind: 'refused', code: 'vote-missing', id };
    if (await isActed(tx, id, 'void')) return { kind: 'refused', code: 'vote-voided', id };
    votes.push(vote);
  }
  for (const vote of votes) await voidOne(tx, vote, order, now);
  for (const playerId of new Set(votes.map((vote) => vote.playerId))) await recountPlayer(tx, playerId);
  tx.forget('voided');
  return { kind: 'voided' };
}

async function voidOne(tx: Tx, vote: StoredVote, { by, reason }: VoidOrder, now: number): Promise<void> {
  const { id, playerId, nameId, weight, service } = vote;
  await tx.run(
    `INSERT INTO actions (kind, at, by, vote_id, player_id, name_id, facts) VALUES ('void', $1, $2, $3, $4, $5, $6)`,
    [now, by, id, playerId, nameId, JSON.stringify({ reason, weight })],
  );
  await tx.run('UPDATE votes SET weight = 0 WHERE id = $1', [id]);
  if (weight !== 2) return;
  await addToNetwork(tx, service, -1);
  // Out of the rounds in progress; of a round that was reached, the count stays as it was.
  await tx.run(
    `UPDATE parties SET counted = counted - 1 WHERE fixed_at IS NULL AND reached_by IS NULL
       AND EXISTS (SELECT 1 FROM party_votes m WHERE m.party_id = parties.id AND m.vote_id = $1)`,
    [id],
  );
}

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
  const { id, playerId, nameId, castAt, day, player } = vote;
  await idOf(
    tx,
    `INSERT INTO actions (kind, at, by, vote_id, player_id, name_id, facts) VALUES ('reward', $1, '', $2, $3, $4, $5)`,
    [now, id, playerId, nameId, JSON.stringify({ reasons })],
  );
  await spend(tx, { ...earned, spent: [] }, vote, { id, castAt, day, takesPlaces: true });
  const cause = { cause: 'vote', causeId: id, playerId, nameId, player } as const;
  const initial = { state: 'pending', reason: { code: 'by-operator' } } as const;
  const grantIds = await oweNamed(tx, cause, earned.grants, initial, now);
  return { kind: 'granted', grantIds, reasons: earned.reasons };
}

async function rewardable(tx: Tx, voteId: number): Promise<StoredVote | VoteRewardRefusal> {
  const vote = await tx.get<StoredVote>(VOTE, [voteId]);
  if (vote === null) return 'vote-missing';
  if (await isActed(tx, voteId, 'void')) return 'vote-voided';
  if (isForgotten(vote)) return 'vote-forgotten';
  if (vote.channel === 'import') return 'vote-imported';
  if (await isActed(tx, voteId, 'reward')) return 'vote-rewarded-by-operator';
  const granted = await tx.get(`SELECT 1 FROM grants WHERE cause = 'vote' AND cause_id = $1 LIMIT 1`, [
    voteId,
  ]);
  if (vote.decision === 'rewarded' || granted !== null) return 'vote-rewarded';
  return vote.decision === 'no-player' ? 'vote-no-player' : vote;
}

/** What the vote meant for totals and streaks was decided when it came, so rewards for those are left out. */
async function earnedLate(
  tx: Tx,
  vote: StoredVote,
  { site, cooldown, rules, draws }: LateRules,
): Promise<Earned> {
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
