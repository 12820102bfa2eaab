import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { PlannedGrant, RewardReasons } from '../core/decide.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import type { GrantRow, LateRules, Ledger, VoteRewardRefusal, VoteRow } from '../ledger/ledger.ts';
import { ALL_WON, type Draws, drawFor } from '../rewards/reward.ts';
import { rollsIn } from '../rewards/words.ts';
import { matchSite, rulesOf } from '../votes/sites.ts';

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
  id: number,
): Promise<VoteRewardPlan | VoteRefused> {
  const [vote] = await ledger.votes({ id, limit: 1 });
  if (vote === undefined) return { kind: 'refused', code: 'vote-missing' };
  const late = await ledger.lateReward(id, await rulesNow(ledger, config, vote, ALL_WON));
  if (late.kind === 'refused') return late;
  const { grants, reasons } = late;
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
  const by = await rulesNow(ledger, config, vote, drawFor(random));
  const rewarded = await ledger.rewardVote(vote.id, by, clock.now());
  if (rewarded.kind === 'refused') return rewarded;
  const grants: GrantRow[] = [];
  for (const id of rewarded.grantIds) grants.push(...(await ledger.grants({ id, limit: 1 })));
  return { kind: 'rewarded', grants, reasons: rewarded.reasons };
}

/** By the site entry that the vote's service has now. */
async function rulesNow(
  ledger: Ledger,
  config: Config,
  { service }: VoteRow,
  draws: Draws,
): Promise<LateRules> {
  const { key: site, entry } = matchSite(config.sites, service);
  const rules = rulesOf(config, await ledger.timeZone());
  return { site, cooldown: entry.cooldown, rules, draws };
}
