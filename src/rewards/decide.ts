import { type Decision, type Draws, decideWindow, type Earned } from '../core/decide.ts';
import type { RewardedVote } from '../core/window.ts';
import type { Arrival } from './arrival.ts';
import type { JudgedVote } from './condition.ts';
import { planGrants } from './grants.ts';
import { judge } from './judge.ts';
import type { Rules } from './reward.ts';

/**
 * Whether a vote takes its window (rule 3), and what it then earns. Pure; the caller reads the history and stores the
 * decision in one transaction.
 *
 * @param rewarded the recipient's rewarded votes that share the site's windows, since `closeSince`, oldest first.
 */
export function decide(arrival: Arrival, rewarded: readonly RewardedVote[]): Decision {
  const decision = decideWindow(arrival, rewarded);
  return decision.kind === 'rewarded'
    ? { ...decision, ...earnedBy(arrival.vote, arrival.rules, arrival.draws) }
    : decision;
}

/** What a vote with a free window earns by these rules, and for every reward why it was granted or not. */
export function earnedBy(
  { service, site, recipient, castAt }: Omit<JudgedVote, 'zone'>,
  rules: Rules,
  draws: Draws,
): Earned {
  const vote: JudgedVote = { service, site, recipient, castAt, zone: rules.zone };
  const judged = rules.rewards.map((reward) => ({ reward, reason: judge(reward, vote, draws) }));
  return {
    grants: judged.flatMap(({ reward, reason }) =>
      reason.code === 'granted' ? planGrants(reward, vote, rules) : [],
    ),
    reasons: new Map(judged.map(({ reward, reason }) => [reward.name, reason])),
  };
}
