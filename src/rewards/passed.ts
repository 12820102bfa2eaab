import {
  isTotals,
  joined,
  type Occasion,
  type Passable,
  type PassedTotals,
  type ReachedStreak,
  totalOccasion,
  totalsCount,
} from '../core/occasion.ts';
import type { NestedIf } from './condition.ts';
import { conditionEntries } from './conditions.ts';
import type { Joining } from './joining.ts';
import type { Reward } from './reward.ts';

/** So many totals are listed one by one. */
const FEW_TOTALS = 5;
/** Of more, the last ones are combined with the occasions of other conditions: a count rarely falls by more votes. */
const TOTALS_COMBINED = 1_000;

/**
 * What a player has reached only because two of their names were joined, or before Teller ran. It counts as taken (rule 14).
 */
export interface Passed {
  readonly occasions: readonly Occasion[];
  /** Too many to be listed: 50,000 players with 500 votes each would have 25 million occasions of an `every: 1`. */
  readonly totals: readonly PassedTotals[];
  readonly streaks: readonly ReachedStreak[];
}

/**
 * What joining two names, or an import, passes of a reward, oldest period and smallest total first. A reward whose occasion several
 * conditions give has passed one only if each of them has; the streaks count as reached in any case.
 */
export function passedByJoining(reward: Pick<Reward, 'if'>, joining: Omit<Joining, 'passedIn'>): Passed {
  const lists = listsIn(reward.if, joining);
  const passed = together(lists);
  return {
    occasions: passed.filter((each) => !isMany(each)).flatMap(oneByOne),
    totals: passed.filter(isMany),
    streaks: lists.flat().flatMap((each) => (isTotals(each) ? [] : each.streaks)),
  };
}

const isMany = (passed: Passable): passed is PassedTotals =>
  isTotals(passed) && totalsCount(passed) > FEW_TOTALS;

/** The occasions of each condition that can be passed. */
function listsIn(written: NestedIf, joining: Omit<Joining, 'passedIn'>): readonly (readonly Passable[])[] {
  const passedIn = (inner: NestedIf): readonly Passable[] => together(listsIn(inner, joining));
  return conditionEntries.flatMap(([code, { passed }]) => {
    const value = written[code];
    return value === undefined || passed === undefined ? [] : [passed(value, { ...joining, passedIn })];
  });
}

/** Each occasion of one condition with each of the others. */
function together([first = [], ...others]: readonly (readonly Passable[])[]): readonly Passable[] {
  return others.reduce(
    (before, after) => before.flatMap(oneByOne).flatMap((one) => combined(one, after)),
    first,
  );
}

const combined = (one: Occasion, after: readonly Passable[]): readonly Occasion[] =>
  after.flatMap(oneByOne).map((other) => joined(one, other));

function oneByOne(passed: Passable): readonly Occasion[] {
  if (!isTotals(passed)) return [passed];
  const { of, last, step } = passed;
  const count = Math.min(totalsCount(passed), TOTALS_COMBINED);
  return Array.from({ length: count }, (_, at) => totalOccasion(of, last - (count - 1 - at) * step));
}
