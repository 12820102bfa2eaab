/**
 * Streaks: so many periods with a vote in a row. A run pays a length once, in whatever order its votes arrive: it is due until a period
 * for which it was paid lies in the same stretch.
 */
import { type Occasion, occasion, type ReachedStreak } from '../core/occasion.ts';
import { type Days, daysOf, PERS, type Per, periodName, periodOf } from '../core/period.ts';
import { condition, type Judging, reachedBeforeStart, type Verdict } from './condition.ts';
import { ALL_DAYS, type CountedDay, type History, isOn, joinedRows, type VotedAround } from './history.ts';

/** Holds if the player has voted in so many periods in a row. */
export const streak = condition({
  schema: ({ z, section, wholeNumber }) => {
    const length = wholeNumber(2, 10_000);
    const forgive = section({
      missed: wholeNumber(1, 30).describe('How many periods may be missed.'),
      in: wholeNumber(2, 366).describe('Among how many consecutive periods.'),
    }).refine((written) => written.missed < written.in, { error: '`missed` must be less than `in`' });
    const detailed = section({
      length: length.describe('How many periods in a row.'),
      per: z.enum(PERS).default('day').describe('The period in which the player has to vote.'),
      votes: wholeNumber(1, 1_000).default(1).describe('How many votes a period needs.'),
      repeat: z.boolean().default(false).describe('true: also for each multiple of the length.'),
      forgive: forgive.optional().describe('Missed periods that do not end the streak. Default: none.'),
    });
    return z
      .union([length, detailed], {
        error: 'must be a number of days, or { "length", "per", "votes", "repeat", "forgive" }',
      })
      .transform(
        (written): StreakRule => ({
          ...{ per: 'day', votes: 1, repeat: false },
          ...(typeof written === 'number' ? { length: written } : written),
          forgive: (typeof written === 'number' ? undefined : written.forgive) ?? NOTHING_FORGIVEN,
        }),
      )
      .meta({ title: 'number or section' })
      .describe('Paid when the player has voted on so many days in a row.');
  },
  example: 7,
  decidedFor: 'marked',
  hasThreshold: true,
  needs: (rule, { day }) => [{ fact: 'runs', withVotes: rule.votes > 1, ...aroundOf(rule, day) }],
  holds: streakVerdict,
  explain: {
    notHeld: ({ run, length, per }) =>
      run < length
        ? `${run} of ${length} ${per}s in a row`
        : `${run} ${per}s in a row: ${length} was reached before`,
  },
  phrase: ({ length, per, votes, repeat, forgive }) =>
    [
      `when they have voted ${length} ${per}s in a row`,
      votes === 1 ? '' : ` with at least ${votes} votes each`,
      forgive.missed === 0 ? '' : ` (${forgive.missed} of ${forgive.in} may be missed)`,
      repeat ? `, and again after each further ${length}` : '',
    ].join(''),
});

/** A streak as operators want it. */
interface StreakRule {
  readonly length: number;
  readonly per: Per;
  /** How many votes make a period count. */
  readonly votes: number;
  /** Whether each multiple of the length is paid too. */
  readonly repeat: boolean;
  readonly forgive: Forgiveness;
}

/** Periods that may be missed: at most `missed` among `in` consecutive ones. */
interface Forgiveness {
  readonly missed: number;
  readonly in: number;
}

const NOTHING_FORGIVEN: Forgiveness = { missed: 0, in: 1 };

const streakOccasion = (reached: ReachedStreak): Occasion =>
  occasion(`streak ${reached.length} reached ${periodName(reached.per, reached.period)}`, {
    threshold: reached.length,
    streaks: [reached],
  });

/** The days that can belong to a run with a day: a longer gap ends every run. */
function aroundOf({ per, forgive }: StreakRule, day: number): VotedAround {
  const { from } = daysOf(per, periodOf(per, day));
  const length = { day: 1, week: 7, month: 31 }[per];
  // Up to two periods next to the missed ones can be voted on at their far ends.
  return { day: from, gap: per === 'day' ? forgive.missed : (forgive.missed + 2) * length, per };
}

/** `run`: the length of the run that ends with the vote. */
type NotReached = { readonly run: number; readonly length: number; readonly per: Per };

function streakVerdict(rule: StreakRule, judging: Judging): Verdict<NotReached> {
  const { vote, history, reward } = judging;
  const { per, length, repeat } = rule;
  const notDue = (run: number): Verdict<NotReached> => ({
    held: false,
    because: { run, length: repeat ? (Math.floor(run / length) + 1) * length : length, per },
  });
  const runs = history.votedRuns(aroundOf(rule, vote.day));
  const [only] = runs;
  // Most votes are in one run of days that is too short for anything. Its periods need no look.
  const isOneOfDays = only !== undefined && runs.length === 1 && per === 'day' && rule.votes === 1;
  if (isOneOfDays && only.to - only.from + 1 < length) return notDue(vote.day - only.from + 1);
  const voted = periodsOf(rule, history, runs, vote.day);
  const period = periodOf(per, vote.day);
  const none = notDue(voted.runOf(period).length);
  // A rule that repeats still pays a later length, so for it only what the vote itself helped to reach is the reason.
  const onlyBefore = (reached: readonly ReachedStreak[]): Verdict<NotReached> => {
    const last = reached.findLast((each) => !repeat || each.period >= period);
    if (last === undefined) return none;
    return { ...none, beforeStart: reachedBeforeStart(`${last.length} ${per}s in a row`, judging) };
  };
  const startPeriod = periodOf(per, reward.startDay);
  const reached = voted.runsWith(period).flatMap((each) => reachedBy(rule, each).slice(-1));
  // What was paid is looked up only now, because few votes complete a streak, and a long run has reached everything long ago.
  if (!reached.some((each) => each.period >= startPeriod)) return onlyBefore(reached);
  const paid = [...reward.ask({ about: 'streaks', per })];
  let due = notPaid(rule, voted, period, paid);
  if (!due.every((each) => history.isSinceChange(per, each.period))) {
    paid.push(...reachedBeforeChange(rule, vote.day, history));
    due = notPaid(rule, voted, period, paid);
  }
  if (due.length === 0) return none;
  // Without the voided votes, a run may have ended since, and another one may begin beside it.
  const isReduced = reward.ask({ about: 'reduced' });
  if (isReduced || voted.first <= startPeriod) {
    const days = isReduced ? ALL_DAYS : spanOf(runs, vote.day);
    const atStart = enoughIn(rule, reward.ask({ about: 'at-start', days }));
    const rest = notPaid(rule, voted, period, [...paid, ...everReached(rule, atStart)]);
    const dueNow = rest.filter((each) => each.period >= startPeriod);
    if (dueNow.length === 0) return onlyBefore(due);
    due = dueNow;
  }
  return { held: true, ways: [due.map(streakOccasion)] };
}

/** The periods that a rule counts among those of the runs around a day. */
function periodsOf(rule: StreakRule, history: History, runs: readonly Days[], day: number): VotedPeriods {
  const { per, votes, forgive } = rule;
  if (votes > 1) return enoughIn(rule, history.votesOfRuns(per, spanOf(runs, day)));
  if (per === 'day') return new VotedPeriods(runs, forgive);
  // Two runs can end and begin in the same week or month.
  const periods = runs.map(({ from, to }) => ({ from: periodOf(per, from), to: periodOf(per, to) }));
  return new VotedPeriods(joinedRows(periods), forgive);
}

/** The periods with enough votes among these days. */
function enoughIn({ per, votes, forgive }: StreakRule, days: readonly CountedDay[]): VotedPeriods {
  const counts = new Map<number, number>();
  for (const { day, counted } of days) {
    const period = periodOf(per, day);
    counts.set(period, (counts.get(period) ?? 0) + counted);
  }
  const enough = [...counts].filter(([, counted]) => votes === 1 || counted >= votes);
  return new VotedPeriods(joinedRows(enough.map(([period]) => ({ from: period, to: period }))), forgive);
}

const spanOf = (runs: readonly Days[], day: number): Days => ({
  from: runs[0]?.from ?? day,
  to: runs.at(-1)?.to ?? day,
});

/** What the run has reached that a rule pays for: the length and, if it repeats, its multiples, each with its period. */
function reachedBy({ length, repeat, per }: StreakRule, run: Run): readonly ReachedStreak[] {
  const times = Math.floor(run.length / length);
  return Array.from({ length: repeat ? times : Math.min(times, 1) }, (_, at) => ({
    per,
    length: (at + 1) * length,
    period: run.at((at + 1) * length - 1),
  }));
}

/** What another name, an import or a split made of the votes counts as paid, because none of these pays anything by itself. */
function reachedBeforeChange(rule: StreakRule, day: number, history: History): readonly ReachedStreak[] {
  const before = history.before();
  const voted = periodsOf(rule, before, before.votedRuns(aroundOf(rule, day)), day);
  return everReached(rule, voted).filter(({ period }) => !history.isSinceChange(rule.per, period));
}

/**
 * What was reached before the reward started counts as paid. Of runs with the same start, the last one has reached what all
 * of them have.
 */
function everReached(rule: StreakRule, voted: VotedPeriods): readonly ReachedStreak[] {
  const all = voted.from(voted.first);
  const starts = all.map((period) => voted.startOf(period));
  return all.flatMap((period, at) =>
    starts[at] === starts[at + 1] ? [] : reachedBy(rule, voted.runOf(period)),
  );
}

/** What is due in the runs that a period belongs to: what each has reached that was not paid for a period in the same stretch. */
function notPaid(rule: StreakRule, voted: VotedPeriods, period: number, paid: readonly ReachedStreak[]) {
  const due: ReachedStreak[] = [];
  for (const run of voted.runsWith(period)) {
    const around = voted.widestAround(run.last);
    const known = [...paid, ...due].filter((each) => around.some((stretch) => isOn(each.period, stretch)));
    due.push(...reachedBy(rule, run).filter(({ length }) => !known.some((each) => each.length === length)));
  }
  return due;
}

/** Periods voted in, oldest first, without the missed ones between them. */
interface Run {
  readonly length: number;
  readonly first: number;
  readonly last: number;
  /** @param place from 0 to `length - 1`. */
  at(place: number): number;
}

/**
 * The periods in which a player voted, and the stretches that miss no more of them than is forgiven. A run may have a
 * thousand days, and every vote asks, so nothing here goes from period to period where a row of them will do.
 */
class VotedPeriods {
  /** The first period voted in; 0 if there is none. */
  readonly first: number;
  private readonly last: number;
  /** How many periods were voted in before each row, and in all. */
  private readonly before: readonly number[];

  /** @param rows without a gap inside them: the oldest first, with a gap between two rows. */
  constructor(
    private readonly rows: readonly Days[],
    private readonly forgive: Forgiveness,
  ) {
    this.first = rows[0]?.from ?? 0;
    this.last = rows.at(-1)?.to ?? this.first - 1;
    const before = [0];
    for (const [at, { from, to }] of rows.entries()) before.push((before[at] ?? 0) + to - from + 1);
    this.before = before;
  }

  /** The periods voted in from one on. */
  from(period: number): readonly number[] {
    const found: number[] = [];
    for (const { from, to } of this.rows.slice(this.rowAt(period)))
      for (let each = Math.max(from, period); each <= to; each++) found.push(each);
    return found;
  }

  /** The runs that contain a period, each as far as one of its later periods. */
  runsWith(period: number): readonly Run[] {
    const isVoted = (this.rows[this.rowAt(period)]?.from ?? Number.POSITIVE_INFINITY) <= period;
    const runs = isVoted ? this.from(period).map((end) => this.runOf(end)) : [];
    return runs.filter((run) => run.first <= period);
  }

  /** The run of a period: the periods voted in during the longest stretch that ends with it. Misses do not lengthen it. */
  runOf(end: number): Run {
    const skipped = this.votedBefore(this.startOf(end));
    const length = this.votedBefore(end + 1) - skipped;
    const at = (place: number): number => this.voted(skipped + place);
    return { length, first: at(0), last: at(length - 1), at };
  }

  /** The widest stretches around a period; several if they are equally wide. */
  widestAround(period: number): readonly Days[] {
    const found: Days[] = [];
    let to = period;
    // Where nothing is forgiven, all stretches around a period are parts of the longest one.
    const last = this.forgive.missed === 0 ? this.startOf(period) : period;
    for (let from = this.startOf(period); from <= last; from++) {
      // A stretch that is right up to a period is also right with the next one if its last periods are.
      while (
        to < this.last + this.forgive.in &&
        this.isRight(Math.max(from, to + 2 - this.forgive.in), to + 1)
      )
        to++;
      found.push({ from, to });
    }
    const widest = Math.max(...found.map((stretch) => stretch.to - stretch.from));
    return found.filter((stretch) => stretch.to - stretch.from === widest);
  }

  /**
   * The first period of the longest stretch that ends with one. A period voted in never makes a stretch wrong, so a row of
   * them is passed at once.
   */
  startOf(end: number): number {
    let from = end;
    for (let next = end - 1; next >= this.first - this.forgive.in; next = from - 1) {
      if (!this.isRight(next, Math.min(next + this.forgive.in - 1, end))) break;
      from = Math.min(next, this.rows[this.rowAt(next)]?.from ?? next);
    }
    return from;
  }

  /** Whether no more is missed of so few consecutive periods than is forgiven. */
  private isRight(from: number, to: number): boolean {
    return to - from + 1 - (this.votedBefore(to + 1) - this.votedBefore(from)) <= this.forgive.missed;
  }

  private votedBefore(period: number): number {
    const at = this.rowAt(period);
    return (this.before[at] ?? 0) + Math.max(0, period - (this.rows[at]?.from ?? period));
  }

  /** The period voted in after so many others. */
  private voted(place: number): number {
    const at = this.before.findLastIndex((count) => count <= place);
    return (this.rows[at]?.from ?? this.first) + place - (this.before[at] ?? 0);
  }

  /** The place of the first row that ends with a period or later; the number of rows if there is none. */
  private rowAt(period: number): number {
    let low = 0;
    for (let high = this.rows.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.rows[middle]?.to ?? period) < period) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
