import type { Draws } from '../core/decide.ts';
import type { Facts, Reason } from '../core/reason.ts';
import type { JudgedVote, Question, Verdict } from './condition.ts';
import { type AnyCondition, type ConditionName, conditionEntries } from './conditions.ts';
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
  let because: Facts = {};
  for (const { code, look } of stepsFor(reward, vote, draws)) {
    const verdict = look();
    if (!verdict.held) return reason(code, verdict.because);
    because = { ...because, ...verdict.because };
  }
  return reason('granted', because);
}

const reason = (code: RewardCode, facts: Facts): RewardReason =>
  Object.keys(facts).length === 0 ? { code } : { code, facts };

interface Step {
  readonly code: Exclude<RewardCode, 'granted'>;
  readonly look: () => Verdict;
}

/** Draws are looked at last, so that a reward is lost by chance only where everything else held. */
function stepsFor(reward: Reward, vote: JudgedVote, draws: Draws): readonly Step[] {
  const steps = writtenIn(reward).map(({ name, value, condition }) => ({
    code: name,
    isDrawn: isDrawn(condition.facts(value)),
    look: () => condition.holds(value, vote, { draw: drawn(draws, reward) }),
  }));
  return [
    ...steps.filter((step) => !step.isDrawn),
    { code: 'recipient-kind', look: () => suits(reward, vote) },
    ...steps.filter((step) => step.isDrawn),
  ];
}

/** The questions of all conditions of a reward. */
export const questionsOf = (reward: Reward): readonly Question[] =>
  writtenIn(reward).flatMap(({ value, condition }) => condition.facts(value));

interface Written {
  readonly name: ConditionName;
  readonly value: unknown;
  readonly condition: AnyCondition;
}

const writtenIn = (reward: Reward): readonly Written[] =>
  conditionEntries.flatMap(([name, condition]) => {
    const value = reward.if[name];
    return value === undefined ? [] : [{ name, value, condition }];
  });

const isDrawn = (questions: readonly Question[]): boolean => questions.some(({ kind }) => kind === 'draw');

/** A condition that asks for no draw does not read it. */
const drawn = (draws: Draws, { name }: Reward): number => draws.get(name) ?? Number.NaN;

function suits(reward: Reward, { recipient }: JudgedVote): Verdict {
  const misfit = misfitOf(reward, recipient.kind);
  return misfit === null ? { held: true, because: {} } : { held: false, because: { misfit } };
}
