import type { JudgedArrival, RewardReasons } from '../../core/decide.ts';
import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { decide } from '../../rewards/decide.ts';
import { drawFor } from '../../rewards/draws.ts';
import { explainRewards } from '../../rewards/reasons.ts';
import type { Rules } from '../../rewards/reward.ts';
import { rollsIn } from '../../rewards/rolls.ts';

/** How often one reward was paid in a trial, beside what the config promises. */
export interface Odds {
  readonly reward: string;
  /** From 0 to 1: as configured, 1 where there is no chance in play, 0 where such a vote can never earn it. */
  readonly chance: number;
  readonly paid: number;
  /** Why it is never granted; null where it can be. */
  readonly never: string | null;
}

/** One service's trial: the same seed gives the same figures again. */
export interface Trial {
  readonly service: string;
  readonly votes: number;
  readonly seed: number;
  readonly odds: readonly Odds[];
}

/** What so many votes of each of these services would pay if each found its window free. */
export const tryVotes = (
  arrivals: readonly JudgedArrival[],
  votes: number,
  seed: number,
  rules: Rules,
): readonly Trial[] =>
  arrivals.map((arrival) => ({
    service: arrival.vote.service,
    votes,
    seed,
    odds: oddsOf(arrival, votes, rules, seededRandom(seed)),
  }));

/** Every vote is decided as a real one is. */
function oddsOf(arrival: JudgedArrival, votes: number, rules: Rules, random: Random): readonly Odds[] {
  const paid = new Map<string, number>();
  let latest: RewardReasons = new Map();
  for (let vote = 0; vote < votes; vote++) {
    const decision = decide({ ...arrival, draws: drawFor(rules.rewards, random) }, [], rules);
    if (decision.kind !== 'rewarded') continue;
    latest = decision.reasons;
    for (const [reward, { code }] of latest) {
      if (code === 'granted') paid.set(reward, (paid.get(reward) ?? 0) + 1);
    }
  }
  const chances = new Map(rollsIn(latest).map(({ reward, chance }) => [reward, chance]));
  const reasons = new Map(explainRewards(latest).map((reason) => [reason.reward, reason]));
  return rules.rewards.map(({ name }) => {
    const reason = reasons.get(name);
    const chance = chances.get(name) ?? (reason?.granted ? 1 : 0);
    const never = chance === 0 ? (reason?.sentence ?? 'the vote is not rewarded') : null;
    return { reward: name, chance, paid: paid.get(name) ?? 0, never };
  });
}
