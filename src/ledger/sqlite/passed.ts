/** What joining two names of a player, or an import, makes them reach without a vote. */
import {
  isTotals,
  joined,
  type Occasion,
  type Passable,
  type PassedTotals,
  type ReachedStreak,
  totalOccasion,
  totalsCount,
} from '../../core/occasion.ts';
import { type Days, daysOf, type Per, periodName, periodOf } from '../../core/period.ts';
import { type NestedIf, periodOccasion } from '../../rewards/condition.ts';
import { conditionsIn } from '../../rewards/conditions.ts';
import { ALL_DAYS, type CountedDay, type CountScope } from '../../rewards/history.ts';
import {
  firstOf,
  isEnough,
  nextOf,
  type WrittenSites,
  type WrittenVotes,
  wanted,
} from '../../rewards/history-conditions.ts';
import type { Reward } from '../../rewards/reward.ts';
import {
  dueIn,
  everReached,
  longestRuns,
  type Stretch,
  type StreakRule,
  streakOccasion,
  votedPeriods,
} from '../../rewards/streaks.ts';

/** What a player has under one name. */
export interface NameHistory {
  count(scope: CountScope): number;
  countedOn(days: Days): readonly CountedDay[];
  servicesOn(days: Days): ReadonlySet<string>;
  /** The weeks or months in a row that an import says were voted in. */
  importedRuns(per: ImportedPer): readonly Stretch[];
}

/** Imported days are among the other days. */
export type ImportedPer = Exclude<Per, 'day'>;

/** What another plugin knew of a player: counts, and days that it says were voted on. Nothing of it was due here. */
export interface Elsewhere {
  /** How many more votes it counted than there are here. */
  count(scope: CountScope): number;
  /** The periods for which it has such a count. */
  periods(per: Per): readonly number[];
  readonly days: readonly number[];
  importedRuns(per: ImportedPer): readonly Stretch[];
}

/**
 * Two names that turn out to be one player, as they were before they are joined; or a player, as they were before an
 * import, and no other name.
 */
export interface Joining {
  readonly names: readonly [NameHistory, NameHistory];
  /** What is imported; absent when names are joined. */
  readonly elsewhere?: Elsewhere | undefined;
  /** The local day on which a running config first contained the reward. */
  readonly startDay: number;
  /** The streaks that were paid to either. */
  paidStreaks(per: Per): readonly ReachedStreak[];
  /** The services of the entries of `sites` that votes for players come from, without `default`. */
  readonly listed: readonly string[];
}

/** A name without votes. */
export const NO_NAME: NameHistory = {
  ...{ count: () => 0, countedOn: () => [], servicesOn: () => new Set() },
  importedRuns: () => [],
};

/** The count that was reached under one of the two names, and the count of both together, with what is imported. */
function countsOf(
  { names, elsewhere }: Pick<Joining, 'names' | 'elsewhere'>,
  scope: CountScope,
): [larger: number, sum: number] {
  const [one, other] = [names[0].count(scope), names[1].count(scope)];
  return [Math.max(one, other), one + other + (elsewhere?.count(scope) ?? 0)];
}

/** The periods in which there are votes under both names, or counts from elsewhere, oldest first. */
function sharedPeriods(
  per: Per,
  { names, elsewhere }: Pick<Joining, 'names' | 'elsewhere'>,
): readonly number[] {
  if (elsewhere !== undefined) return elsewhere.periods(per);
  const [one, other] = names.map((name) => periodsOf(per, name));
  return [...(one ?? [])].filter((period) => other?.has(period));
}

const periodsOf = (per: Per, name: NameHistory): ReadonlySet<number> =>
  new Set(name.countedOn(ALL_DAYS).map(({ day }) => periodOf(per, day)));

/** The services on which there are votes under both names. */
function sharedServices({ names }: Pick<Joining, 'names'>): readonly string[] {
  const [one, other] = names.map((name) => servicesOf(name));
  return [...(one ?? [])].filter((service) => other?.has(service));
}

/** Asks day by day: a history has no end that a reader of services could stop at. */
const servicesOf = (name: NameHistory): ReadonlySet<string> =>
  new Set(name.countedOn(ALL_DAYS).flatMap(({ day }) => [...name.servicesOn({ from: day, to: day })]));

/** The days of both names, and those that are imported, oldest first. */
function joinedDays({ names, elsewhere }: Pick<Joining, 'names' | 'elsewhere'>): readonly CountedDay[] {
  const days = new Map<number, number>((elsewhere?.days ?? []).map((day) => [day, 0]));
  for (const { day, counted } of names.flatMap((name) => name.countedOn(ALL_DAYS)))
    days.set(day, (days.get(day) ?? 0) + counted);
  return [...days].map(([day, counted]) => ({ day, counted })).sort((one, other) => one.day - other.day);
}

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
export function passedByJoining(reward: Pick<Reward, 'if'>, joining: Joining): Passed {
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
function listsIn(written: NestedIf, joining: Joining): readonly (readonly Passable[])[] {
  return conditionsIn(written).flatMap(({ code, value }): (readonly Passable[])[] => {
    switch (code) {
      case 'votes':
        return [countsPassed(wanted(value as WrittenVotes), joining)];
      case 'firstVote':
        return [countsPassed(firstOf(value as true | 'site' | 'day'), joining)];
      case 'streak':
        return [streaksPassed(value as StreakRule, joining).map(streakOccasion)];
      case 'allSites':
        return [sitesPassed(value as WrittenSites, joining)];
      case 'any':
        return [(value as readonly NestedIf[]).flatMap((arm) => together(listsIn(arm, joining)))];
      default:
        return [];
    }
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

/** The wanted values between the larger count of two names that are joined and the count of both. */
function countsPassed(
  { of, sites, numbers }: ReturnType<typeof wanted>,
  joining: Joining,
): readonly PassedTotals[] {
  return joinedScopes(of, sites, joining).flatMap(({ name, scope }) => {
    const [larger, sum] = countsOf(joining, scope);
    return numbers
      .flatMap((each): PassedTotals[] => {
        const first = nextOf(each, larger + 1);
        return first === null || first > sum ? [] : [{ of: name, first, ...upTo(sum, first, each) }];
      })
      .sort((one, other) => one.first - other.first);
  });
}

function upTo(
  sum: number,
  first: number,
  { to, step }: ReturnType<typeof wanted>['numbers'][number],
): Pick<PassedTotals, 'last' | 'step'> {
  const end = Math.min(sum, to);
  return { last: end - ((end - first) % step), step };
}

/** What is counted of the player, wherever there are votes under both names. The network's counts stay as they are. */
function joinedScopes(
  of: ReturnType<typeof wanted>['of'],
  sites: readonly string[] | undefined,
  joining: Joining,
): readonly { readonly name: string; readonly scope: CountScope }[] {
  if (of === 'network') return [];
  if (of === 'total') return [{ name: of, scope: { of: 'recipient', services: sites } }];
  if (of === 'site')
    return sharedServices(joining)
      .filter((service) => sites === undefined || sites.includes(service))
      .map((service) => ({
        name: `site ${service} total`,
        scope: { of: 'recipient', services: [service] },
      }));
  return sharedPeriods(of, joining)
    .filter((period) => period >= periodOf(of, joining.startDay))
    .map((period) => ({
      name: `${of} ${periodName(of, period)} total`,
      scope: { of: 'recipient', days: daysOf(of, period), services: sites },
    }));
}

/**
 * What the runs of a player reach only when the days of two names are joined. What was reached under one of them was due
 * then.
 */
function streaksPassed(rule: StreakRule, joining: Joining): readonly ReachedStreak[] {
  const reached = joining.names.flatMap((name) =>
    everReached(rule, votedPeriods(rule, name.countedOn(ALL_DAYS), importedPeriods(name, rule))),
  );
  const imported = [...joining.names, ...(joining.elsewhere === undefined ? [] : [joining.elsewhere])];
  const voted = votedPeriods(
    rule,
    joinedDays(joining),
    imported.flatMap((each) => importedPeriods(each, rule)),
  );
  const passed: ReachedStreak[] = [];
  for (const run of longestRuns(voted))
    passed.push(...dueIn(rule, voted, run, [...joining.paidStreaks(rule.per), ...reached, ...passed]));
  const startPeriod = periodOf(rule.per, joining.startDay);
  return passed.filter(({ period }) => period >= startPeriod);
}

/** Imported days are among the others. */
const importedPeriods = (of: Pick<NameHistory, 'importedRuns'>, { per }: StreakRule): readonly Stretch[] =>
  per === 'day' ? [] : of.importedRuns(per);

function sitesPassed(written: WrittenSites, { names, startDay, listed }: Joining): readonly Occasion[] {
  const { within } = written;
  return sharedPeriods(within, { names })
    .filter((period) => {
      const voted = names.map((name) => name.servicesOn(daysOf(within, period)));
      const both = new Set(voted.flatMap((services) => [...services]));
      return isEnough(written, listed, both) && !voted.some((each) => isEnough(written, listed, each));
    })
    .filter((period) => period >= periodOf(within, startDay))
    .map((period) => periodOccasion(within, period));
}
