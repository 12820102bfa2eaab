import { type Days, daysOf, type Per, periodName, periodOf } from '../core/period.ts';
import { type Occasion, occasion, type ReachedStreak } from '../core/occasion.ts';
import type { Judging } from './condition.ts';
import type { CountedDay, VotedAround } from './history.ts';

/** Periods that may be missed: at most `missed` among `in` consecutive ones. */
export interface Forgiveness {
  readonly missed: number;
  readonly in: number;
}

export const NOTHING_FORGIVEN: Forgiveness = { missed: 0, in: 1 };

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
export function aroundOf({ per, forgive }: StreakRule, day: number): VotedAround {
  const period = periodOf(per, day);
  const days = daysOf(per, period);
  const length = { day: 1, week: 7, month: 31 }[per];
  // Up to two periods next to the missed ones can be voted on at their far ends.
  return { day: days.from, gap: per === 'day' ? forgive.missed : (forgive.missed + 2) * length };
}

/** The periods that a rule counts among these days, oldest first. */
function votedPeriods({ per, votes }: StreakRule, days: readonly CountedDay[]): readonly number[] {
  const counts = new Map<number, number>();
  for (const { day, counted } of days) {
    const period = periodOf(per, day);
    counts.set(period, (counts.get(period) ?? 0) + counted);
  }
  return [...counts].filter(([, counted]) => votes === 1 || counted >= votes).map(([period]) => period);
}

/** The periods of days on which the player voted, oldest first. A run may have a thousand days, so nothing is copied. */
function periodsIn(per: Per, runs: readonly Days[]): readonly number[] {
  const periods: number[] = [];
  for (const { from, to } of runs) {
    const last = periodOf(per, to);
    // Two runs can end and begin in the same week or month.
    const next = (periods.at(-1) ?? Number.NEGATIVE_INFINITY) + 1;
    for (let period = Math.max(periodOf(per, from), next); period <= last; period++) periods.push(period);
  }
  return periods;
}

/** Both ends are included. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** The periods in which a player voted, and the stretches that miss no more of them than is forgiven. */
export class VotedPeriods {
  private readonly voted: readonly number[];
  private readonly first: number;
  private readonly last: number;
  /** By period from `first` on: how many were voted in before it. */
  private readonly before: readonly number[];

  /** @param voted oldest first. */
  constructor(
    voted: readonly number[],
    private readonly forgive: Forgiveness,
  ) {
    this.voted = voted;
    this.first = voted[0] ?? 0;
    this.last = voted.at(-1) ?? this.first - 1;
    const before: number[] = [0];
    let count = 0;
    for (let period = this.first; period <= this.last; period++) {
      if (voted[count] === period) count++;
      before.push(count);
    }
    this.before = before;
  }

  get all(): readonly number[] {
    return this.voted;
  }

  has(period: number): boolean {
    return this.votedBefore(period + 1) > this.votedBefore(period);
  }

  from(period: number): readonly number[] {
    return this.voted.slice(this.votedBefore(period));
  }

  /** The run of a period: the periods voted in during the longest stretch that ends with it. Misses do not lengthen it. */
  runOf(end: number): readonly number[] {
    return this.voted.slice(this.votedBefore(this.startOf(end)), this.votedBefore(end + 1));
  }

  /** The widest stretches around a period; several if they are equally wide. */
  widestAround(period: number): readonly Stretch[] {
    const found: Stretch[] = [];
    let to = period;
    // Where nothing is forgiven, all stretches around a period are parts of the longest one.
    const last = this.forgive.missed === 0 ? this.startOf(period) : period;
    for (let from = this.startOf(period); from <= last; from++) {
      while (to < this.last + this.forgive.in && this.mayEnd(from, to + 1)) to++;
      found.push({ from, to });
    }
    const widest = Math.max(...found.map((stretch) => stretch.to - stretch.from));
    return found.filter((stretch) => stretch.to - stretch.from === widest);
  }

  /** The first period of the longest stretch that ends with one. */
  private startOf(end: number): number {
    let from = end;
    while (from > this.first - this.forgive.in && this.mayStart(from - 1, end)) from--;
    return from;
  }

  /** Whether a stretch that is right from the next period on is still right with this one. */
  private mayStart(from: number, to: number): boolean {
    return this.missed(from, Math.min(from + this.forgive.in - 1, to)) <= this.forgive.missed;
  }

  /** Whether a stretch that is right up to the period before is still right with this one. */
  private mayEnd(from: number, to: number): boolean {
    return this.missed(Math.max(from, to - this.forgive.in + 1), to) <= this.forgive.missed;
  }

  private missed(from: number, to: number): number {
    return to - from + 1 - (this.votedBefore(to + 1) - this.votedBefore(from));
  }

  private votedBefore(period: number): number {
    const at = Math.min(Math.max(period - this.first, 0), this.before.length - 1);
    return this.before[at] ?? 0;
  }
}

/** What a rule pays for: the length and, if it repeats, its multiples. */
const lengthsUpTo = ({ length, repeat }: StreakRule, run: number): readonly number[] =>
  repeat
    ? Array.from({ length: Math.floor(run / length) }, (_, at) => (at + 1) * length)
    : run >= length
      ? [length]
      : [];

/** What the run of a period has reached, each with the period in which it did. */
function reachedBy(rule: StreakRule, run: readonly number[]): readonly ReachedStreak[] {
  return lengthsUpTo(rule, run.length).map((length) => ({
    per: rule.per,
    length,
    period: run[length - 1] as number,
  }));
}

/** What a vote means for a streak. */
export interface StreakNow {
  /** The length of the run that ends with the vote. */
  readonly run: number;
  /** What the vote pays. */
  readonly due: readonly ReachedStreak[];
}

/**
 * A run pays a length once, in whatever order its votes arrive: it is due until a period for which it was paid lies in the
 * same stretch.
 */
export function streakNow(rule: StreakRule, { vote, history, reward }: Judging): StreakNow {
  const runs = history.votedRuns(aroundOf(rule, vote.day));
  const only = runs.length === 1 ? runs[0] : undefined;
  if (isPlain(rule) && only !== undefined && reachedLast(rule, only) < reward.startDay)
    return { run: vote.day - only.from + 1, due: [] };
  const span = { from: runs[0]?.from ?? vote.day, to: runs.at(-1)?.to ?? vote.day };
  const periods = rule.votes === 1 ? periodsIn(rule.per, runs) : votedPeriods(rule, history.countedOn(span));
  const voted = new VotedPeriods(periods, rule.forgive);
  const period = periodOf(rule.per, vote.day);
  const run = voted.runOf(period).length;
  const startPeriod = periodOf(rule.per, reward.startDay);
  if (!mayBeDue(rule, voted, period, startPeriod)) return { run, due: [] };
  const paid = reward.paidStreaks(rule.per);
  const due = notPaid(rule, voted, period, paid);
  if (due.length === 0) return { run, due };
  // Without the voided votes, a run may have ended since, and another one may begin beside it.
  const isReduced = reward.isReducedSinceStart();
  if (!isReduced && (voted.all[0] ?? 0) > startPeriod) return { run, due };
  const atStart = votedPeriods(rule, reward.countedOnAtStart(isReduced ? ALL_DAYS : span));
  const earlier = everReached(rule, new VotedPeriods(atStart, rule.forgive));
  const rest = notPaid(rule, voted, period, [...paid, ...earlier]);
  return { run, due: rest.filter((each) => each.period >= startPeriod) };
}

/** One run of days around the vote then says everything, without a look at each of its days. */
const isPlain = ({ per, votes, forgive }: StreakRule): boolean =>
  per === 'day' && votes === 1 && forgive.missed === 0;

/** The day on which a run of days last reached what a plain rule pays for; -Infinity if it has reached nothing. */
function reachedLast(rule: StreakRule, { from, to }: Days): number {
  const length = lengthsUpTo(rule, to - from + 1).at(-1);
  return length === undefined ? Number.NEGATIVE_INFINITY : from + length - 1;
}

/**
 * Whether a run that a period belongs to has reached something since the reward started. What was paid is looked up only
 * then, because few votes complete a streak, and a long run has reached everything long ago.
 */
const mayBeDue = (rule: StreakRule, voted: VotedPeriods, period: number, startPeriod: number): boolean =>
  runsWith(voted, period).some((run) => reachedBy(rule, run).some((each) => each.period >= startPeriod));

const ALL_DAYS: Days = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** What was reached before the reward started counts as paid. */
const everReached = (rule: StreakRule, voted: VotedPeriods): readonly ReachedStreak[] =>
  voted.all.flatMap((period) => reachedBy(rule, voted.runOf(period)));

/** What is due in the runs that a period belongs to. */
function notPaid(
  rule: StreakRule,
  voted: VotedPeriods,
  period: number,
  paid: readonly ReachedStreak[],
): readonly ReachedStreak[] {
  const due: ReachedStreak[] = [];
  for (const run of runsWith(voted, period)) {
    const around = voted.widestAround(run.at(-1) ?? period);
    const known = [...paid, ...due].filter((each) => around.some((stretch) => isIn(each.period, stretch)));
    due.push(...reachedBy(rule, run).filter(({ length }) => !known.some((each) => each.length === length)));
  }
  return due;
}

/** The runs that contain a period, each as far as one of its later periods. */
const runsWith = (voted: VotedPeriods, period: number): readonly (readonly number[])[] =>
  voted.has(period)
    ? voted
        .from(period)
        .map((end) => voted.runOf(end))
        .filter((run) => (run[0] ?? period) <= period)
    : [];

const isIn = (period: number, { from, to }: Stretch): boolean => period >= from && period <= to;
