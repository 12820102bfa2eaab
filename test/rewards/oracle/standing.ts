/**
 * What is known of one reward: since when it counts, which occasions are spent, and which votes it was granted for. Then the runs and
 * thresholds of streaks, over the periods in which one player voted.
 */

import { localTime, nameOf, type Per, periodOf } from './calendar.ts';
import { isCounted, marksItsDay, type RecordedVote } from './votes.ts';
import { groupsOf, type OracleConfig, type RawReward, type RawStreak } from './written.ts';

/** One condition's share of an occasion. */
export interface Part {
  readonly key: 'votes' | 'firstVote' | 'streak' | 'allSites' | 'returning';
  readonly spelt: string;
  readonly threshold: number | null;
  /** "Network occasions are unique without the recipient." */
  readonly isNetwork: boolean;
  /** "Earlier thresholds are marked as taken and not paid." */
  readonly isTaken: boolean;
  readonly streak: (Reached & { readonly per: Per }) | null;
}

/** What several conditions have in common: "several conditions join their occasions in the table's order with `, `". */
export type Occasion = readonly Part[];

export const spelling = (occasion: Occasion): string => occasion.map(({ spelt }) => spelt).join(', ');

interface Spent {
  player: string;
  readonly occasion: Occasion;
}

export interface GrantedVote {
  player: string;
  readonly castAt: number;
  readonly day: number;
}

export interface Standing {
  /** The local day on which a running config first contained the name. */
  readonly startDay: number;
  /** The votes that were recorded by then and not voided. */
  readonly before: readonly RecordedVote[];
  readonly spent: Spent[];
  /** Once for each vote, however many occasions it was granted for. */
  readonly granted: GrantedVote[];
}

/** "A late vote for a period that ended before the reward's start pays nothing." */
export const endedBeforeStart = (standing: Standing, per: Per, day: number): boolean =>
  periodOf(per, day) < periodOf(per, standing.startDay);

/** An occasion is accepted once: from each player, or from all of them together if it is the network's. */
export function isSpent(standing: Standing, player: string, occasion: Occasion): boolean {
  const spelt = spelling(occasion);
  if (spelt === '') return false;
  if (occasion.some(({ isTaken }) => isTaken)) return true;
  const isNetwork = occasion.some((part) => part.isNetwork);
  return standing.spent.some(
    (spent) => spelling(spent.occasion) === spelt && (isNetwork || spent.player === player),
  );
}

export const spend = (standing: Standing, player: string, occasion: Occasion): void => {
  standing.spent.push({ player, occasion });
};

/** The streak thresholds that this reward has paid to a player, in periods of this length. */
export function paidStreaks(standing: Standing, player: string, per: Per): readonly Reached[] {
  return standing.spent
    .filter((spent) => spent.player === player)
    .flatMap(({ occasion }) => occasion.flatMap(({ streak }) => (streak?.per === per ? [streak] : [])));
}

export type Standings = Map<string, Standing>;

/** "`was: ["old"]` carries over the name, start, limits and occasions"; every other new name starts now. */
export function startRewards(
  standings: Standings,
  config: OracleConfig,
  at: number,
  votes: readonly RecordedVote[],
): void {
  const fresh = groupsOf(config)
    .flat()
    .filter(({ name }) => !standings.has(name));
  for (const reward of fresh) {
    standings.set(reward.name, carriedOver(standings, reward) ?? newStanding(config, at, votes));
  }
}

function newStanding(config: OracleConfig, at: number, votes: readonly RecordedVote[]): Standing {
  return {
    startDay: localTime(config.timeZone, at).day,
    before: votes.filter(({ voided }) => !voided).map((vote) => ({ ...vote })),
    spent: [],
    granted: [],
  };
}

/** With several old names, the earliest start and everything that any of them spent or was granted. */
function carriedOver(standings: Standings, { was = [] }: RawReward): Standing | null {
  const old = was.flatMap((name) => standings.get(name) ?? []);
  const [first, ...rest] = [...old].sort((one, other) => one.before.length - other.before.length);
  if (!first) return null;
  for (const name of was) standings.delete(name);
  return {
    startDay: first.startDay,
    before: first.before,
    spent: [first, ...rest].flatMap(({ spent }) => spent),
    granted: [first, ...rest].flatMap(({ granted }) => granted),
  };
}

export type Streak = Required<RawStreak>;
type Forgive = Streak['forgive'];

/** "Without `forgive` nothing is forgiven." */
const NOTHING: Forgive = { missed: 0, in: 1 };

export function streakOf(written: number | RawStreak): Streak {
  const raw = typeof written === 'number' ? { length: written } : written;
  const { length, per = 'day', votes = 1, repeat = false, forgive = NOTHING } = raw;
  if (forgive.missed >= forgive.in) throw new Error('a streak that forgives every miss has no end');
  return { length, per, votes, repeat, forgive };
}

/** Both ends are included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/**
 * The periods that a player voted in: "`votes` above 1 counts counted votes; with 1, any vote that marks the day".
 */
export function votedPeriods(
  votes: readonly RecordedVote[],
  player: string,
  { per, votes: needed }: Pick<Streak, 'per' | 'votes'>,
): ReadonlySet<number> {
  const marks = needed > 1 ? isCounted : marksItsDay;
  const periods = votes
    .filter((vote) => vote.player === player && marks(vote))
    .map((vote) => periodOf(per, vote.day));
  return new Set(periods.filter((period) => periods.filter((same) => same === period).length >= needed));
}

function missesIn(voted: ReadonlySet<number>, { from, to }: Stretch): number {
  let misses = 0;
  for (let period = from; period <= to; period++) if (!voted.has(period)) misses++;
  return misses;
}

/** "No `in` consecutive periods contain more than `missed` misses"; "a stretch shorter than `in` obeys `missed` too". */
export function obeys(voted: ReadonlySet<number>, { from, to }: Stretch, forgive: Forgive): boolean {
  for (let first = from; first <= to; first++) {
    const last = Math.min(first + forgive.in - 1, to);
    if (missesIn(voted, { from: first, to: last }) > forgive.missed) return false;
  }
  return true;
}

/** Whether a stretch that obeys the rule still does with one more period before it. Only the first `in` are new. */
const reachesBack = (voted: ReadonlySet<number>, { from, to }: Stretch, forgive: Forgive): boolean =>
  obeys(voted, { from: from - 1, to: Math.min(from + forgive.in - 2, to) }, forgive);

/** The same with one more period after it. */
const reachesOn = (voted: ReadonlySet<number>, { from, to }: Stretch, forgive: Forgive): boolean =>
  obeys(voted, { from: Math.max(from, to - forgive.in + 2), to: to + 1 }, forgive);

/** "The longest stretch of periods, ending on that day", that obeys the rule. */
function stretchEndingOn(voted: ReadonlySet<number>, day: number, forgive: Forgive): Stretch {
  let from = day;
  while (reachesBack(voted, { from, to: day }, forgive)) from--;
  return { from, to: day };
}

const inOrder = (voted: ReadonlySet<number>): number[] => [...voted].sort((one, other) => one - other);

const votedIn = (voted: ReadonlySet<number>, stretch: Stretch): number[] =>
  inOrder(voted).filter((period) => stretch.from <= period && period <= stretch.to);

/** The run of a day: "misses do not lengthen the run". */
export const runOf = (voted: ReadonlySet<number>, day: number, forgive: Forgive): number =>
  votedIn(voted, stretchEndingOn(voted, day, forgive)).length;

/** "The widest stretch around that day that obeys the same rule": all of them where several are equally wide. */
export function widestStretches(
  voted: ReadonlySet<number>,
  day: number,
  forgive: Forgive,
): readonly Stretch[] {
  const { from: first } = stretchEndingOn(voted, day, forgive);
  const found: Stretch[] = [];
  for (let from = day; from >= first; from--) {
    let to = day;
    while (reachesOn(voted, { from, to }, forgive)) to++;
    found.push({ from, to });
  }
  const widest = Math.max(...found.map(({ from, to }) => to - from));
  return found.filter(({ from, to }) => to - from === widest);
}

/** A threshold and the period on which the run reached it. */
export interface Reached {
  readonly threshold: number;
  readonly period: number;
}

/** "The occasion names the day on which the run reached the threshold", and "a streak per week or month names its period". */
export const streakOccasion = (per: Per, { threshold, period }: Reached): string =>
  `streak ${threshold} reached ${nameOf(per, period)}`;

/** "The length, and its multiples with `repeat`", as far as a run reaches. */
function thresholdsUpTo({ length, repeat }: Streak, run: number): number[] {
  if (!repeat) return length <= run ? [length] : [];
  return Array.from({ length: Math.floor(run / length) }, (_, index) => (index + 1) * length);
}

/** Every threshold that the run of a day reaches, with the day on which that run reached it. */
function reachedBy(voted: ReadonlySet<number>, day: number, streak: Streak): readonly Reached[] {
  const days = votedIn(voted, stretchEndingOn(voted, day, streak.forgive));
  return thresholdsUpTo(streak, days.length).map((threshold) => ({
    threshold,
    period: days[threshold - 1] as number,
  }));
}

/** The thresholds that a set of votes had reached, for a reward that begins with these votes recorded. */
export function everReached(voted: ReadonlySet<number>, streak: Streak): readonly Reached[] {
  return [...voted].flatMap((day) => reachedBy(voted, day, streak));
}

export interface DueQuestion {
  readonly voted: ReadonlySet<number>;
  readonly streak: Streak;
  /** The period of the vote that was just recorded. */
  readonly period: number;
  /** The thresholds that were paid or marked as taken. */
  readonly paid: readonly Reached[];
  /** The first period that did not end before the reward's start. */
  readonly firstPeriod: number;
}

/**
 * What a vote pays: "due when a recorded vote makes the run of any voted day reach it, stays due with any later vote of
 * that run until it is granted, unless a day for which it was paid lies in the widest stretch around that day". The
 * runs that a vote belongs to are those of the voted days whose stretch contains its day. Every threshold that is
 * found due counts as paid for the days looked at after it: "one unbroken run pays a threshold once".
 */
export function dueThresholds(question: DueQuestion): readonly Reached[] {
  const { voted, streak, period, firstPeriod } = question;
  const found: Reached[] = [];
  if (!voted.has(period)) return found;
  for (const day of inOrder(voted)) {
    const stretch = stretchEndingOn(voted, day, streak.forgive);
    if (period < stretch.from || stretch.to < period) continue;
    const reached = reachedBy(voted, day, streak);
    const paid = [...question.paid, ...found];
    found.push(...reached.filter(({ threshold }) => !isPaidAround(voted, day, streak, threshold, paid)));
  }
  // A threshold that was reached before the reward's start is taken; those in the same run must not be paid instead.
  return found.filter((reached) => reached.period >= firstPeriod);
}

function isPaidAround(
  voted: ReadonlySet<number>,
  day: number,
  streak: Streak,
  threshold: number,
  paid: readonly Reached[],
): boolean {
  const periods = paid.filter((one) => one.threshold === threshold).map(({ period }) => period);
  if (periods.length === 0) return false;
  return widestStretches(voted, day, streak.forgive).some(({ from, to }) =>
    periods.some((period) => from <= period && period <= to),
  );
}
