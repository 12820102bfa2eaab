import type { JudgedVote, NestedIf } from './condition.ts';
import { type AnyCondition, conditionEntries } from './conditions.ts';
import { NO_HISTORY } from './history.ts';
import { judgeIf, NESTED, type RewardReason } from './judge.ts';

/** Whether a condition only looks at the vote itself. Those that combine others do if the others do. */
const isFilter = ({ decidedFor, isDrawn }: AnyCondition): boolean =>
  decidedFor === undefined && isDrawn === undefined;

/** The conditions that choose votes, rather than rewards. */
export const filterEntries = conditionEntries.filter(([, each]) => isFilter(each));

/** The first of these conditions, which look at the vote only, that does not hold; null if all do. */
export function filteredOut(written: NestedIf, vote: JudgedVote): RewardReason | null {
  const verdict = judgeIf(written, {
    vote,
    history: NO_HISTORY,
    reward: NO_HISTORY.reward(''),
    listed: [],
    draw: () => 0,
    nested: NESTED,
  });
  return verdict.held ? null : verdict.reason;
}
