import type { JudgedArrival, RewardReasons } from '../../core/decide.ts';
import type { Random } from '../../core/random.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { decide } from '../../rewards/decide.ts';
import { drawFor } from '../../rewards/draws.ts';
import { NO_HISTORY } from '../../rewards/history.ts';
import { explainRewards } from '../../rewards/reasons.ts';
import type { Rules } from '../../rewards/reward.ts';
import { rollsIn } from '../../rewards/rolls.ts';

/** How often a trial paid one reward, compared with the configured chance. */
export interface Odds {
  readonly reward: string;
  /** From 0 to 1: the configured chance, 1 if the reward has none, 0 if such a vote can never earn it. */
  readonly chance: number;
  readonly paid: number;
  /** Why it is never granted; null if it can be. */
  readonly never: string | null;
}

/** One service's trial; the same seed gives the same figures. */
export interface Trial {
  readonly service: string;
  readonly votes: number;
  readonly seed: number;
  readonly odds: readonly Odds[];
}

/** What `votes` votes on each of these services would pay if the window were free each time. */
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

/** Decides every vote like a real one. */
function oddsOf(arrival: JudgedArrival, votes: number, rules: Rules, random: Random): readonly Odds[] {
  const paid = new Map<string, number>();
  let latest: RewardReasons = new Map();
  for (let vote = 0; vote < votes; vote++) {
    const decision = decide({ ...arrival, draws: drawFor(random), rules }, [], NO_HISTORY);
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
