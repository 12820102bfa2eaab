import type { Draws } from '../core/decide.ts';
import type { Facts, Reason } from '../core/reason.ts';
import type { Answers, JudgedVote, Question, Verdict } from './condition.ts';
import { type ConditionName, conditionEntries } from './conditions.ts';
import { misfitOf } from './recipient.ts';
import type { Reward } from './reward.ts';

/** Why a reward was granted, or the first thing that stopped it: a condition, by its key, or the vote's recipient. */
export type RewardCode = 'granted' | 'recipient-kind' | ConditionName;

export type RewardReason = Reason<RewardCode>;

/**
 * Whether a vote earns a reward. The facts of `granted` are those of all conditions of the reward.
 *
 * @param draws has a number for each reward that needs one (`draws.ts`).
 */
export function judge(reward: Reward, vote: JudgedVote, draws: Draws): RewardReason {
  // Only a condition that asks for a draw reads this.
  const answers = { draw: draws.get(reward.name) ?? Number.NaN };
  let because = NO_FACTS;
  for (const { code, check } of planOf(reward).steps) {
    const verdict = check(vote, answers);
    if (!verdict.held) return reason(code, verdict.because);
    because = both(because, verdict.because);
  }
  return reason('granted', because);
}

/** The questions of all conditions of a reward. */
export const questionsOf = (reward: Reward): readonly Question[] => planOf(reward).questions;

const NO_FACTS: Facts = {};

const both = (first: Facts, second: Facts): Facts => (isEmpty(second) ? first : { ...first, ...second });

const isEmpty = (facts: Facts): boolean => Object.keys(facts).length === 0;

const reason = (code: RewardCode, facts: Facts): RewardReason =>
  isEmpty(facts) ? { code } : { code, facts };

interface Step {
  readonly code: Exclude<RewardCode, 'granted'>;
  readonly check: (vote: JudgedVote, answers: Answers) => Verdict;
}

interface Plan {
  readonly questions: readonly Question[];
  readonly steps: readonly Step[];
}

const plans = new WeakMap<Reward, Plan>();

/** Computed once for each reward of a config, because every vote needs it. */
function planOf(reward: Reward): Plan {
  const made = plans.get(reward);
  if (made !== undefined) return made;
  const plan = planFor(reward);
  plans.set(reward, plan);
  return plan;
}

/** Conditions with a draw come last, so that a reward is lost by chance only if everything else held. */
function planFor(reward: Reward): Plan {
  const conditions = conditionEntries.flatMap(([code, condition]) => {
    const value = reward.if[code];
    if (value === undefined) return [];
    const check: Step['check'] = (vote, answers) => condition.holds(value, vote, answers);
    return [{ code, check, questions: condition.facts(value) }];
  });
  const drawn = conditions.filter(({ questions }) => questions.some(({ kind }) => kind === 'draw'));
  const others = conditions.filter((each) => !drawn.includes(each));
  const recipient: Step = { code: 'recipient-kind', check: (vote) => suits(reward, vote) };
  return {
    questions: conditions.flatMap(({ questions }) => questions),
    steps: [...others, recipient, ...drawn],
  };
}

function suits(reward: Reward, { recipient }: JudgedVote): Verdict {
  const misfit = misfitOf(reward, recipient.kind);
  return misfit === null ? { held: true, because: NO_FACTS } : { held: false, because: { misfit } };
}
