import type { Config } from '../config/config.ts';
import { type PlannedGrant, type Roll, type Rules, rewardsFor } from '../core/decide.ts';
import type { Dice } from '../core/dice.ts';
import type { PlayerName } from '../core/player-name.ts';
import { Problem } from '../core/problem.ts';
import type { Recipient } from '../core/vote.ts';
import { rulesOf } from '../intake/rules.ts';
import { matchSite } from '../intake/sites.ts';
import type { GrantRow, Ledger, VoteRewardRefusal, VoteRow } from '../ledger/ledger.ts';

/** What a counted vote would be rewarded with by the config as it is now. */
export interface VoteRewardPlan {
  readonly vote: VoteRow;
  /** All that can be granted: chances are drawn when it is done, so that asking again cannot draw again. */
  readonly grants: readonly PlannedGrant[];
  /** By reward, for those with a chance. */
  readonly chances: ReadonlyMap<string, number>;
}

export interface RewardedByOperator {
  readonly grants: readonly GrantRow[];
  readonly rolls: readonly Roll[];
}

/** Every chance wins. */
const ALWAYS_WON: Dice = { roll: () => 0, bytes: (count) => Buffer.alloc(count) };

/** @throws Problem `vote-missing`, `vote-rewarded`, `vote-rewarded-by-operator`, `vote-no-player`, `reward-none` */
export async function planVoteReward(ledger: Ledger, config: Config, id: number): Promise<VoteRewardPlan> {
  const refusal = await ledger.voteRewardRefusal(id);
  const [vote] = await ledger.votes({ id, limit: 1 });
  if (refusal !== null || vote === undefined) throw refused(id, refusal ?? 'vote-missing');
  const { grants, rolls } = rewardsNow(vote, config, ALWAYS_WON);
  if (grants.length === 0) {
    throw new Problem(
      'reward-none',
      `no reward in the config applies to vote ${id}, so nothing was changed; change the rewards' "if" or add a reward first`,
    );
  }
  return { vote, grants, chances: new Map(rolls.map(({ reward, chance }) => [reward, chance])) };
}

/** Draws the chances and stores the grants. @throws Problem as `planVoteReward`, where the vote was rewarded meanwhile */
export async function rewardVote(
  ledger: Ledger,
  config: Config,
  { vote }: VoteRewardPlan,
  dice: Dice,
  now: number,
): Promise<RewardedByOperator> {
  const reward = rewardsNow(vote, config, dice);
  const rewarded = await ledger.rewardVote(vote.id, reward, now);
  if (rewarded.kind === 'refused') throw refused(vote.id, rewarded.code);
  const grants: GrantRow[] = [];
  for (const id of rewarded.grantIds) grants.push(...(await ledger.grants({ id, limit: 1 })));
  return { grants, rolls: reward.rolls };
}

/** By the entry that its service has now. */
function rewardsNow(vote: VoteRow, config: Config, dice: Dice): ReturnType<typeof rewardsFor> {
  const rules: Rules = rulesOf(config);
  const { service } = vote;
  const site = matchSite(config.sites, service).key;
  return rewardsFor({ service, site, recipient: recipientOf(vote) }, rules, dice);
}

/** The name was checked before it was stored. */
const recipientOf = ({ player, recipient }: VoteRow): Recipient =>
  player === null
    ? { kind: 'user', key: recipient }
    : { kind: 'player', key: recipient, player: player as PlayerName };

const why: Readonly<Record<VoteRewardRefusal, (id: number) => string>> = {
  'vote-missing': (id) => `there is no vote ${id} in the ledger; \`teller votes\` lists them`,
  'vote-rewarded': (id) =>
    `vote ${id} was rewarded when it came, so nothing was changed; see \`teller grants\` for what it owes`,
  'vote-rewarded-by-operator': (id) =>
    `vote ${id} was rewarded by the operator before, and a vote is rewarded once; nothing was changed`,
  'vote-no-player': (id) =>
    `vote ${id} names no player, so there is no one to pay; ask the player to vote with their name`,
};

const refused = (id: number, code: VoteRewardRefusal): Problem => new Problem(code, why[code](id));
