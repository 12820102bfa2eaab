import type { Passable, ReachedStreak } from '../core/occasion.ts';
import { type Days, type Per, periodOf } from '../core/period.ts';
import type { CountedDay, CountScope, History } from './history.ts';
import type { Stretch } from './voted-periods.ts';

/** What a player has under one name. */
export interface NameHistory extends Pick<History, 'count' | 'countedOn' | 'servicesOn'> {
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
  readonly elsewhere?: Elsewhere;
  /** The local day on which a running config first contained the reward. */
  readonly startDay: number;
  /** The streaks that were paid to either. */
  paidStreaks(per: Per): readonly ReachedStreak[];
  /** The services of the entries of `sites` that votes for players come from, without `default`. */
  readonly listed: readonly string[];
  /** What an `if` inside a condition gives. */
  passedIn(written: Readonly<Record<string, unknown>>): readonly Passable[];
}

export const ALL_DAYS: Days = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** A name without votes. */
export const NO_NAME: NameHistory = {
  ...{ count: () => 0, countedOn: () => [], servicesOn: () => new Set() },
  importedRuns: () => [],
};

/** The count that was reached under one of the two names, and the count of both together, with what is imported. */
export function countsOf(
  { names, elsewhere }: Pick<Joining, 'names' | 'elsewhere'>,
  scope: CountScope,
): [larger: number, sum: number] {
  const [one, other] = [names[0].count(scope), names[1].count(scope)];
  return [Math.max(one, other), one + other + (elsewhere?.count(scope) ?? 0)];
}

/** The periods in which there are votes under both names, or counts from elsewhere, oldest first. */
export function sharedPeriods(
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
export function sharedServices({ names }: Pick<Joining, 'names'>): readonly string[] {
  const [one, other] = names.map((name) => servicesOf(name));
  return [...(one ?? [])].filter((service) => other?.has(service));
}

/** Asks day by day: a history has no end that a reader of services could stop at. */
const servicesOf = (name: NameHistory): ReadonlySet<string> =>
  new Set(name.countedOn(ALL_DAYS).flatMap(({ day }) => [...name.servicesOn({ from: day, to: day })]));

/** The days of both names, and those that are imported, oldest first. */
export function joinedDays({
  names,
  elsewhere,
}: Pick<Joining, 'names' | 'elsewhere'>): readonly CountedDay[] {
  const days = new Map<number, number>((elsewhere?.days ?? []).map((day) => [day, 0]));
  for (const { day, counted } of names.flatMap((name) => name.countedOn(ALL_DAYS)))
    days.set(day, (days.get(day) ?? 0) + counted);
  return [...days].map(([day, counted]) => ({ day, counted })).sort((one, other) => one.day - other.day);
}
