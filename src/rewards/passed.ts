import { joined, NO_OCCASION, type Occasion, type ReachedStreak } from '../core/occasion.ts';
import type { NestedIf } from './condition.ts';
import { conditionEntries } from './conditions.ts';
import type { Joining } from './joining.ts';
import type { Reward } from './reward.ts';

/**
 * What a player has reached only because two of their names were joined, or before Teller ran. It counts as taken (rule 14).
 */
export interface Passed {
  readonly occasions: readonly Occasion[];
  readonly streaks: readonly ReachedStreak[];
}

/**
 * What joining two names, or an import, passes of a reward, oldest period and smallest total first. A reward whose occasion several
 * conditions give has passed one only if each of them has; the streaks count as reached in any case.
 */
export function passedByJoining(reward: Pick<Reward, 'if'>, joining: Omit<Joining, 'passedIn'>): Passed {
  const lists = listsIn(reward.if, joining);
  return {
    occasions: lists.length === 0 ? [] : lists.reduce(combined, [NO_OCCASION]),
    streaks: lists.flat().flatMap(({ streaks }) => streaks),
  };
}

/** The occasions of each condition that can be passed. */
function listsIn(written: NestedIf, joining: Omit<Joining, 'passedIn'>): readonly (readonly Occasion[])[] {
  const passedIn = (inner: NestedIf): readonly Occasion[] => {
    const lists = listsIn(inner, joining);
    return lists.length === 0 ? [] : lists.reduce(combined, [NO_OCCASION]);
  };
  return conditionEntries.flatMap(([code, { passed }]) => {
    const value = written[code];
    return value === undefined || passed === undefined ? [] : [passed(value, { ...joining, passedIn })];
  });
}

const combined = (before: readonly Occasion[], after: readonly Occasion[]): readonly Occasion[] =>
  before.flatMap((one) => after.map((other) => joined(one, other)));
