import { type Config, zoneOf } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { windowOf } from '../core/cooldown.ts';
import type { Earned, PlannedGrant, RewardReasons } from '../core/decide.ts';
import { localDay } from '../core/local-time.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import type { Recipient } from '../core/vote.ts';
import { rulesOf } from '../intake/rules.ts';
import { matchSite } from '../intake/sites.ts';
import type { GrantRow, Ledger, VoteRewardRefusal, VoteRow } from '../ledger/ledger.ts';
import { earnedBy } from '../rewards/decide.ts';
import { ALL_WON, type Draws, drawFor } from '../rewards/draws.ts';
import { NO_HISTORY } from '../rewards/history.ts';
import { needsHistory } from '../rewards/judge.ts';
import { rollsIn } from '../rewards/rolls.ts';

/** The rewards that the current config gives a vote that was counted but not rewarded. */
export interface VoteRewardPlan {
  readonly kind: 'planned';
  readonly vote: VoteRow;
  /** Everything that can be granted. Chances are drawn only when the vote is rewarded, so planning again cannot redraw. */
  readonly grants: readonly PlannedGrant[];
  /** By reward, for rewards with a chance. */
  readonly chances: ReadonlyMap<string, number>;
}

export interface VoteRefused {
  readonly kind: 'refused';
  readonly code: VoteRewardRefusal | Extract<ProblemCode, 'reward-none'>;
}

export interface RewardedByOperator {
  readonly kind: 'rewarded';
  readonly grants: readonly GrantRow[];
  /** For every reward in the config, why it was granted or not. */
  readonly reasons: RewardReasons;
}

export async function planVoteReward(
  ledger: Ledger,
  config: Config,
  zone: string,
  id: number,
): Promise<VoteRewardPlan | VoteRefused> {
  const refusal = await ledger.voteRewardRefusal(id);
  const [vote] = await ledger.votes({ id, limit: 1 });
  if (refusal !== null || vote === undefined) return { kind: 'refused', code: refusal ?? 'vote-missing' };
  const { grants, reasons } = rewardsNow(vote, config, zone, ALL_WON);
  if (grants.length === 0) return { kind: 'refused', code: 'reward-none' };
  const chances = new Map(rollsIn(reasons).map(({ reward, chance }) => [reward, chance]));
  return { kind: 'planned', vote, grants, chances };
}

/** Draws the chances and stores the grants. Refused if the vote was rewarded after it was planned. */
export async function rewardVote(
  ledger: Ledger,
  config: Config,
  { vote }: VoteRewardPlan,
  random: Random,
  clock: Clock,
): Promise<RewardedByOperator | VoteRefused> {
  const reward = rewardsNow(vote, config, zoneOf(config, clock), drawFor(random));
  const rewarded = await ledger.rewardVote(vote.id, reward, clock.now());
  if (rewarded.kind === 'refused') return rewarded;
  const grants: GrantRow[] = [];
  for (const id of rewarded.grantIds) grants.push(...(await ledger.grants({ id, limit: 1 })));
  return { kind: 'rewarded', grants, reasons: reward.reasons };
}

/**
 * Uses the site entry that the vote's service has now. The vote enters no total, so rewards for totals and streaks are
 * left out; what it meant for them was decided when it was recorded.
 */
function rewardsNow(
  { service, castAt, ...vote }: VoteRow,
  config: Config,
  zone: string,
  draws: Draws,
): Earned {
  const { key: site, entry } = matchSite(config.sites, service);
  const rules = rulesOf(config, zone);
  const rewards = rules.rewards.filter((reward) => !needsHistory(reward));
  const judged = {
    ...{ service, site, castAt },
    recipient: recipientOf(vote),
    standing: 'rewarded',
  } as const;
  const onDay = {
    ...judged,
    day: localDay(castAt, zone),
    zone,
    nextAt: windowOf(castAt, entry.cooldown).end,
  };
  return earnedBy(onDay, { ...rules, rewards }, draws, NO_HISTORY);
}

/** The name was checked before it was stored. */
const recipientOf = ({ player, recipient }: Pick<VoteRow, 'player' | 'recipient'>): Recipient =>
  player === null
    ? { kind: 'user', key: recipient }
    : { kind: 'player', key: recipient, player: player as PlayerName };
