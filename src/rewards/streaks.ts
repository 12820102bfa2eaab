/** Streaks: so many periods with a vote in a row. A run pays a length once, in whatever order its votes arrive. */
import { type Occasion, occasion, type ReachedStreak } from '../core/occasion.ts';
import { type Days, daysOf, PERS, type Per, periodName, periodOf } from '../core/period.ts';
import { condition, type Judging, reachedBeforeStart } from './condition.ts';
import { ALL_DAYS, type CountedDay, type History, type VotedAround } from './history.ts';

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
  holds: (rule, judging) => {
    const { run, due, reachedBefore } = streakNow(rule, judging);
    const because = { run, length: nextLength(rule, run), per: rule.per };
    if (due.length > 0) return { held: true, because: {} as typeof because, ways: [due.map(streakOccasion)] };
    if (reachedBefore === null) return { held: false, because };
    return {
      held: false,
      because,
      beforeStart: reachedBeforeStart(`${reachedBefore} ${rule.per}s in a row`, judging),
    };
  },
  explain: {
    held: () => null,
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

/** What the run has to reach next. */
const nextLength = ({ length, repeat }: StreakRule, run: number): number =>
  repeat ? (Math.floor(run / length) + 1) * length : length;

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

const streakOccasion = (reached: ReachedStreak): Occasion =>
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

/** The periods that a rule counts among these days. */
function votedPeriods({ per, votes, forgive }: StreakRule, days: readonly CountedDay[]): VotedPeriods {
  const counts = new Map<number, number>();
  for (const { day, counted } of days) {
    const period = periodOf(per, day);
    counts.set(period, (counts.get(period) ?? 0) + counted);
  }
  const enough = [...counts].filter(([, counted]) => votes === 1 || counted >= votes);
  return new VotedPeriods(rowsOf(enough.map(([period]) => period)), forgive);
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
interface StreakNow {
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
function streakNow(rule: StreakRule, { vote, history, reward }: Judging): StreakNow {
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
  const voted = votedAround(rule, vote.day, history);
  const period = periodOf(rule.per, vote.day);
  const run = voted.runOf(period).length;
  const startPeriod = periodOf(rule.per, reward.startDay);
  const reached = runsWith(voted, period).flatMap((each) => reachedBy(rule, each).slice(-1));
  // What was paid is looked up only now, because few votes complete a streak, and a long run has reached everything long ago.
  if (!reached.some((each) => each.period >= startPeriod))
    return { run, due: [], reachedBefore: reachedBefore(rule, period, reached) };
  const paid = [...reward.paidStreaks(rule.per)];
  let due = notPaid(rule, voted, period, paid);
  if (!due.every((each) => history.isSinceChange(rule.per, each.period))) {
    paid.push(...reachedBeforeChange(rule, vote.day, history));
    due = notPaid(rule, voted, period, paid);
  }
  if (due.length === 0) return { run, due, reachedBefore: null };
  // Without the voided votes, a run may have ended since, and another one may begin beside it.
  const isReduced = reward.isReducedSinceStart();
  if (!isReduced && voted.earliest > startPeriod) return { run, due, reachedBefore: null };
  const atStart = votedPeriods(rule, reward.countedOnAtStart(isReduced ? ALL_DAYS : spanOf(runs, vote.day)));
  const earlier = everReached(rule, atStart);
  const rest = notPaid(rule, voted, period, [...paid, ...earlier]);
  const dueNow = rest.filter((each) => each.period >= startPeriod);
  return { run, due: dueNow, reachedBefore: dueNow.length > 0 ? null : reachedBefore(rule, period, due) };
}

/** What another name, an import or a split made of the votes counts as paid, because none of these pays anything by itself. */
const reachedBeforeChange = (rule: StreakRule, day: number, history: History): readonly ReachedStreak[] =>
  everReached(rule, votedAround(rule, day, history.before())).filter(
    ({ period }) => !history.isSinceChange(rule.per, period),
  );

function votedAround(rule: StreakRule, day: number, history: History): VotedPeriods {
  const runs = history.votedRuns(aroundOf(rule, day));
  if (rule.votes === 1) return periodsIn(rule, runs);
  return votedPeriods(rule, history.votesOfRuns(rule.per, spanOf(runs, day)));
}

const spanOf = (runs: readonly Days[], day: number): Days => ({
  from: runs[0]?.from ?? day,
  to: runs.at(-1)?.to ?? day,
});

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

/** Periods that may be missed: at most `missed` among `in` consecutive ones. */
interface Forgiveness {
  readonly missed: number;
  readonly in: number;
}

const NOTHING_FORGIVEN: Forgiveness = { missed: 0, in: 1 };

/** Both ends are included. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Periods voted in, oldest first, without the missed ones between them. */
interface Run {
  readonly length: number;
  readonly first: number;
  readonly last: number;
  /** @param place from 0 to `length - 1`. */
  at(place: number): number;
}

/** Rows of periods without a gap between them: the oldest first, with a gap between two rows. */
function rowsOf(periods: readonly number[]): readonly Stretch[] {
  return joinedRows(periods.map((period) => ({ from: period, to: period })));
}

/** Joins stretches that overlap or follow one another. @param stretches in order of their beginnings. */
function joinedRows(stretches: readonly Stretch[]): readonly Stretch[] {
  const rows: Stretch[] = [];
  for (const { from, to } of stretches) {
    const last = rows.at(-1);
    if (last === undefined || from > last.to + 1) rows.push({ from, to });
    else rows[rows.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return rows;
}

/**
 * The periods in which a player voted, and the stretches that miss no more of them than is forgiven. A run may have a
 * thousand days, and every vote asks, so nothing here goes from period to period where a row of them will do.
 */
class VotedPeriods {
  private readonly first: number;
  private readonly last: number;
  /** How many periods were voted in before each row. */
  private readonly before: readonly number[];

  /** @param rows as `rowsOf` and `joinedRows` make them. */
  constructor(
    private readonly rows: readonly Stretch[],
    private readonly forgive: Forgiveness,
  ) {
    this.first = rows[0]?.from ?? 0;
    this.last = rows.at(-1)?.to ?? this.first - 1;
    let count = 0;
    this.before = rows.map(({ from, to }) => {
      count += to - from + 1;
      return count - (to - from + 1);
    });
  }

  /** The first period voted in; 0 if there is none. */
  get earliest(): number {
    return this.first;
  }

  has(period: number): boolean {
    return (this.rows[this.rowAt(period)]?.from ?? Number.POSITIVE_INFINITY) <= period;
  }

  /** The periods voted in from one on. */
  from(period: number): readonly number[] {
    const found: number[] = [];
    for (const { from, to } of this.rows.slice(this.rowAt(period)))
      for (let each = Math.max(from, period); each <= to; each++) found.push(each);
    return found;
  }

  /** The run of a period: the periods voted in during the longest stretch that ends with it. Misses do not lengthen it. */
  runOf(end: number): Run {
    const skipped = this.votedBefore(this.startOf(end));
    const length = this.votedBefore(end + 1) - skipped;
    const at = (place: number): number => this.voted(skipped + place);
    return { length, first: at(0), last: at(length - 1), at };
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

  /**
   * The first period of the longest stretch that ends with one. A period voted in never makes a stretch wrong, so a row of
   * them is passed at once.
   */
  startOf(end: number): number {
    let from = end;
    while (from > this.first - this.forgive.in && this.mayStart(from - 1, end))
      from = this.rowStart(from - 1);
    return from;
  }

  private rowStart(period: number): number {
    const row = this.rows[this.rowAt(period)];
    return row !== undefined && row.from <= period ? row.from : period;
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
    const at = this.rowAt(period);
    const row = this.rows[at];
    if (row === undefined) return this.count;
    return (this.before[at] ?? 0) + Math.max(0, period - row.from);
  }

  private get count(): number {
    const last = this.rows.at(-1);
    return last === undefined ? 0 : (this.before.at(-1) ?? 0) + last.to - last.from + 1;
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
