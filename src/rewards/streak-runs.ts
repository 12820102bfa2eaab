import { type Occasion, occasion, type ReachedStreak } from '../core/occasion.ts';
import { type Days, daysOf, type Per, periodName, periodOf } from '../core/period.ts';
import type { Judging } from './condition.ts';
import type { CountedDay, VotedAround } from './history.ts';
import { ALL_DAYS, type Joining, joinedDays, type NameHistory } from './joining.ts';
import {
  type Forgiveness,
  joinedRows,
  type Run,
  rowsOf,
  type Stretch,
  VotedPeriods,
} from './voted-periods.ts';

/** A streak as operators want it. */
export interface StreakRule {
  readonly length: number;
  readonly per: Per;
  /** How many votes make a period count. */
  readonly votes: number;
  /** Whether each multiple of the length is paid too. */
  readonly repeat: boolean;
  readonly forgive: Forgiveness;
}

export const streakOccasion = (reached: ReachedStreak): Occasion =>
  occasion(`streak ${reached.length} reached ${periodName(reached.per, reached.period)}`, {
    threshold: reached.length,
    streaks: [reached],
  });

/** The days that can belong to a run with a day: a longer gap ends every run. */
function aroundOf({ per, forgive }: StreakRule, day: number): VotedAround {
  const period = periodOf(per, day);
  const days = daysOf(per, period);
  const length = { day: 1, week: 7, month: 31 }[per];
  // Up to two periods next to the missed ones can be voted on at their far ends.
  return { day: days.from, gap: per === 'day' ? forgive.missed : (forgive.missed + 2) * length, per };
}

/** The periods that a rule counts among these days, and those that are imported. */
function votedPeriods(
  { per, votes, forgive }: StreakRule,
  days: readonly CountedDay[],
  imported: readonly Stretch[] = [],
): VotedPeriods {
  const counts = new Map<number, number>();
  for (const { day, counted } of days) {
    const period = periodOf(per, day);
    counts.set(period, (counts.get(period) ?? 0) + counted);
  }
  const enough = [...counts].filter(([, counted]) => votes === 1 || counted >= votes);
  const rows = rowsOf(enough.map(([period]) => period));
  // How many votes an imported period had is not known.
  const all = votes === 1 ? [...rows, ...imported] : rows;
  return new VotedPeriods(joinedRows(all.toSorted((one, other) => one.from - other.from)), forgive);
}

/** The periods of days on which the player voted. Two runs can end and begin in the same week or month. */
function periodsIn({ per, forgive }: StreakRule, runs: readonly Days[]): VotedPeriods {
  const rows =
    per === 'day'
      ? runs
      : joinedRows(runs.map(({ from, to }) => ({ from: periodOf(per, from), to: periodOf(per, to) })));
  return new VotedPeriods(rows, forgive);
}

/** What a rule pays for: the length and, if it repeats, its multiples. */
const lengthsUpTo = ({ length, repeat }: StreakRule, run: number): readonly number[] =>
  repeat
    ? Array.from({ length: Math.floor(run / length) }, (_, at) => (at + 1) * length)
    : run >= length
      ? [length]
      : [];

/** The longest of them; 0 if there is none. */
const longestUpTo = ({ length, repeat }: StreakRule, run: number): number =>
  run < length ? 0 : repeat ? run - (run % length) : length;

/** What the run of a period has reached, each with the period in which it did. */
function reachedBy(rule: StreakRule, run: Run): readonly ReachedStreak[] {
  return lengthsUpTo(rule, run.length).map((length) => ({
    per: rule.per,
    length,
    period: run.at(length - 1),
  }));
}

/** What a vote means for a streak. */
export interface StreakNow {
  /** The length of the run that ends with the vote. */
  readonly run: number;
  /** What the vote pays. */
  readonly due: readonly ReachedStreak[];
  /** Nothing is due only because this length was reached before the reward started; null otherwise. */
  readonly reachedBefore: number | null;
}

/**
 * A run pays a length once, in whatever order its votes arrive: it is due until a period for which it was paid lies in the
 * same stretch.
 */
export function streakNow(rule: StreakRule, { vote, history, reward }: Judging): StreakNow {
  const runs = history.votedRuns(aroundOf(rule, vote.day));
  const only = runs.length === 1 ? runs[0] : undefined;
  if (isPlain(rule) && only !== undefined && reachedLast(rule, only) < reward.startDay) {
    const reached = { length: longestUpTo(rule, only.to - only.from + 1), period: reachedLast(rule, only) };
    return {
      run: vote.day - only.from + 1,
      due: [],
      reachedBefore: reachedBefore(rule, vote.day, [reached]),
    };
  }
  const span = { from: runs[0]?.from ?? vote.day, to: runs.at(-1)?.to ?? vote.day };
  const voted = rule.votes === 1 ? periodsIn(rule, runs) : votedPeriods(rule, history.countedOn(span));
  const period = periodOf(rule.per, vote.day);
  const run = voted.runOf(period).length;
  const startPeriod = periodOf(rule.per, reward.startDay);
  const reached = runsWith(voted, period).flatMap((each) => reachedBy(rule, each).slice(-1));
  // What was paid is looked up only now, because few votes complete a streak, and a long run has reached everything long ago.
  if (!reached.some((each) => each.period >= startPeriod))
    return { run, due: [], reachedBefore: reachedBefore(rule, period, reached) };
  const paid = reward.paidStreaks(rule.per);
  const due = notPaid(rule, voted, period, paid);
  if (due.length === 0) return { run, due, reachedBefore: null };
  // Without the voided votes, a run may have ended since, and another one may begin beside it.
  const isReduced = reward.isReducedSinceStart();
  if (!isReduced && voted.earliest > startPeriod) return { run, due, reachedBefore: null };
  const atStart = votedPeriods(rule, reward.countedOnAtStart(isReduced ? ALL_DAYS : span));
  const earlier = everReached(rule, atStart);
  const rest = notPaid(rule, voted, period, [...paid, ...earlier]);
  const dueNow = rest.filter((each) => each.period >= startPeriod);
  return { run, due: dueNow, reachedBefore: dueNow.length > 0 ? null : reachedBefore(rule, period, due) };
}

/** A rule that repeats still pays a later length, so for it only what the vote itself helped to reach is the reason. */
function reachedBefore(
  { repeat }: StreakRule,
  period: number,
  reached: readonly Pick<ReachedStreak, 'length' | 'period'>[],
): number | null {
  const last = reached.findLast((each) => each.length > 0 && (!repeat || each.period >= period));
  return last?.length ?? null;
}

/** One run of days around the vote then says everything, without a look at each of its days. */
const isPlain = ({ per, votes, forgive }: StreakRule): boolean =>
  per === 'day' && votes === 1 && forgive.missed === 0;

/** The day on which a run of days last reached what a plain rule pays for; -Infinity if it has reached nothing. */
function reachedLast(rule: StreakRule, { from, to }: Days): number {
  const length = longestUpTo(rule, to - from + 1);
  return length === 0 ? Number.NEGATIVE_INFINITY : from + length - 1;
}

/**
 * What was reached before the reward started counts as paid. Of runs with the same start, the last one has reached what all
 * of them have.
 */
const everReached = (rule: StreakRule, voted: VotedPeriods): readonly ReachedStreak[] =>
  longestRuns(voted).flatMap((run) => reachedBy(rule, run));

function longestRuns(voted: VotedPeriods): readonly Run[] {
  const all = voted.from(voted.earliest);
  const starts = all.map((period) => voted.startOf(period));
  return all.flatMap((period, at) => (starts[at] === starts[at + 1] ? [] : [voted.runOf(period)]));
}

/**
 * What the runs of a player reach only when the days of two names are joined. What was reached under one of them was due
 * then.
 */
export function streaksPassed(rule: StreakRule, joining: Joining): readonly ReachedStreak[] {
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

/** What is due in the runs that a period belongs to. */
function notPaid(
  rule: StreakRule,
  voted: VotedPeriods,
  period: number,
  paid: readonly ReachedStreak[],
): readonly ReachedStreak[] {
  const due: ReachedStreak[] = [];
  for (const run of runsWith(voted, period)) due.push(...dueIn(rule, voted, run, [...paid, ...due]));
  return due;
}

/** What a run has reached that was not paid for a period in the same stretch. */
function dueIn(
  rule: StreakRule,
  voted: VotedPeriods,
  run: Run,
  paid: readonly ReachedStreak[],
): readonly ReachedStreak[] {
  const around = voted.widestAround(run.last);
  const known = paid.filter((each) => around.some((stretch) => isIn(each.period, stretch)));
  return reachedBy(rule, run).filter(({ length }) => !known.some((each) => each.length === length));
}

/** The runs that contain a period, each as far as one of its later periods. */
const runsWith = (voted: VotedPeriods, period: number): readonly Run[] =>
  voted.has(period)
    ? voted
        .from(period)
        .map((end) => voted.runOf(end))
        .filter((run) => run.first <= period)
    : [];

const isIn = (period: number, { from, to }: Stretch): boolean => period >= from && period <= to;
