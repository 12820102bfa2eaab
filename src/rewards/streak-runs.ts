import { daysOf, type Per, periodName, periodOf } from '../core/period.ts';
import { type Occasion, occasion, type ReachedStreak } from '../core/occasion.ts';
import type { Judging } from './condition.ts';
import type { VotedAround, VotedDay } from './history.ts';

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

/** The periods with enough votes, oldest first. */
export function votedPeriods({ per, votes }: StreakRule, days: readonly VotedDay[]): readonly number[] {
  if (per === 'day' && votes === 1) return days.map(({ day }) => day);
  const counts = new Map<number, number>();
  for (const { day, counted } of days) {
    const period = periodOf(per, day);
    counts.set(period, (counts.get(period) ?? 0) + counted);
  }
  return [...counts].filter(([, counted]) => votes === 1 || counted >= votes).map(([period]) => period);
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
    const known = new Set(voted);
    for (let period = this.first; period <= this.last; period++) {
      before.push((before.at(-1) ?? 0) + (known.has(period) ? 1 : 0));
    }
    this.before = before;
  }

  get all(): readonly number[] {
    return this.voted;
  }

  /** The run of a period: the periods voted in during the longest stretch that ends with it. Misses do not lengthen it. */
  runOf(end: number): readonly number[] {
    const from = this.startOf(end);
    return this.voted.filter((period) => period >= from && period <= end);
  }

  /** The widest stretches around a period; several if they are equally wide. */
  widestAround(period: number): readonly Stretch[] {
    const found: Stretch[] = [];
    let to = period;
    for (let from = this.startOf(period); from <= period; from++) {
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

/**
 * The streaks that this vote pays. A run pays a length once, in whatever order its votes arrive: it is due until a period
 * for which it was paid lies in the same stretch.
 */
export function dueStreaks(rule: StreakRule, { vote, history, reward }: Judging): readonly ReachedStreak[] {
  const around = aroundOf(rule, vote.day);
  const days = history.votedDays(around);
  const voted = new VotedPeriods(votedPeriods(rule, days), rule.forgive);
  const period = periodOf(rule.per, vote.day);
  const paid = reward.paidStreaks(rule.per);
  const due = notPaid(rule, voted, period, paid);
  const startPeriod = periodOf(rule.per, reward.startDay);
  if (due.length === 0 || (voted.all[0] ?? 0) > startPeriod) return due;
  const span = { from: days[0]?.day ?? vote.day, to: days.at(-1)?.day ?? vote.day };
  const atStart = votedPeriods(rule, reward.votedDaysAtStart(span));
  const earlier = everReached(rule, new VotedPeriods(atStart, rule.forgive));
  return notPaid(rule, voted, period, [...paid, ...earlier]).filter((each) => each.period >= startPeriod);
}

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
  if (!voted.all.includes(period)) return due;
  for (const end of voted.all.filter((each) => each >= period)) {
    const run = voted.runOf(end);
    if (!run.includes(period)) continue;
    const known = [...paid, ...due];
    due.push(...reachedBy(rule, run).filter((reached) => !isPaidAround(voted, end, reached, known)));
  }
  return due;
}

function isPaidAround(
  voted: VotedPeriods,
  period: number,
  { length }: ReachedStreak,
  paid: readonly ReachedStreak[],
): boolean {
  const same = paid.filter((each) => each.length === length);
  if (same.length === 0) return false;
  const around = voted.widestAround(period);
  return same.some((each) => around.some(({ from, to }) => each.period >= from && each.period <= to));
}
