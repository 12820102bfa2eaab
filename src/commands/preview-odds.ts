import type { JudgedArrival } from '../core/decide.ts';
import type { Dice } from '../core/dice.ts';
import { decide } from '../rewards/decide.ts';
import { drawFor } from '../rewards/draws.ts';
import type { Rules } from '../rewards/reward.ts';
import { rollsIn } from '../rewards/rolls.ts';

/** How often one reward was paid in a trial, beside what the config promises. */
export interface Odds {
  readonly reward: string;
  /** From 0 to 1: as configured, 1 where there is no chance in play, 0 where it is not for this site. */
  readonly chance: number;
  readonly paid: number;
}

/** What so many votes would pay if each found its window free. Every one is decided as a real one is. */
export function oddsOf(arrival: JudgedArrival, votes: number, rules: Rules, dice: Dice): readonly Odds[] {
  const paid = new Map<string, number>();
  const chances = new Map<string, number>();
  for (let vote = 0; vote < votes; vote++) {
    const decision = decide({ ...arrival, draws: drawFor(rules.rewards, dice) }, [], rules);
    if (decision.kind !== 'rewarded') continue;
    for (const { reward, chance } of rollsIn(decision.reasons)) chances.set(reward, chance);
    for (const reward of new Set(decision.grants.map((grant) => grant.reward))) {
      paid.set(reward, (paid.get(reward) ?? 0) + 1);
    }
  }
  return rules.rewards.map(({ name }) => {
    const count = paid.get(name) ?? 0;
    return { reward: name, chance: chances.get(name) ?? (count > 0 ? 1 : 0), paid: count };
  });
}
