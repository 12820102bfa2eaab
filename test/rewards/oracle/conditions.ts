/** Whether an `if` holds for a vote, and for which occasions: one function for each row of the table of conditions. */

import { dayNamed, localTime, nameOf, periodOf, weekdayOf } from './calendar.ts';
import {
  dueThresholds,
  endedBeforeStart,
  everReached,
  type Occasion,
  type Part,
  paidStreaks,
  type Standing,
  type Streak,
  streakOccasion,
  streakOf,
  votedPeriods,
} from './standing.ts';
import { countFor, isCounted, marksItsDay, type RecordedVote, totalOccasion } from './votes.ts';
import { duration, listed, type OracleConfig, type RawIf, type RawVotes, timeOfDay } from './written.ts';

export interface Question {
  /** Every vote recorded so far, with the one that is judged. */
  readonly votes: readonly RecordedVote[];
  readonly vote: RecordedVote;
  readonly config: OracleConfig;
  readonly standing: Standing;
}

/** The keys of the table's rows in its order, without `chance`, which is looked at after a limit. */
const ROWS = [
  'site',
  'votes',
  'firstVote',
  'streak',
  'allSites',
  'weekday',
  'between',
  'hours',
  'returning',
  'any',
  'not',
] as const;
type Row = (typeof ROWS)[number];

/**
 * The ways in which a condition holds, the first arm of an `any` first. Each way has one or more occasions, because
 * several thresholds of a streak may be due at once. An empty list means that the condition does not hold.
 */
export type Ways = readonly (readonly Occasion[])[];

const NOT_HELD: Ways = [];
const HELD: Ways = [[[]]];
const heldIf = (holds: boolean): Ways => (holds ? HELD : NOT_HELD);
const heldFor = (...parts: readonly Part[]): Ways => [parts.map((part) => [part])];

export const PLAIN = { threshold: null, isNetwork: false, isTaken: false, streak: null };

/** "For such a vote, only conditions with `streak` or `allSites` are decided"; with `counts: "all"` "also … totals". */
export function decidedBy(vote: RecordedVote): readonly Row[] {
  if (!marksItsDay(vote)) return [];
  if (vote.decision === 'rewarded') return ['votes', 'firstVote', 'streak', 'allSites', 'returning'];
  return isCounted(vote) ? ['votes', 'firstVote', 'streak', 'allSites'] : ['streak', 'allSites'];
}

/** Whether an `if` has one of these conditions, at any depth. */
export const mentions = (condition: RawIf, keys: readonly Row[]): boolean =>
  keys.some((key) => condition[key] !== undefined) ||
  (condition.any ?? []).some((arm) => mentions(arm, keys)) ||
  (condition.not !== undefined && mentions(condition.not, keys));

/** The first condition, in the table's order, that does not hold; some `if` does not. */
export const firstNotHeld = (condition: RawIf, question: Question): string =>
  ROWS.find(
    (key) => condition[key] !== undefined && waysOfRow(key, condition, question).length === 0,
  ) as string;

/** "All must hold"; "several conditions join their occasions in the table's order". */
export function waysOf(condition: RawIf, question: Question): Ways {
  return ROWS.filter((key) => condition[key] !== undefined)
    .map((key) => waysOfRow(key, condition, question))
    .reduce(joined, HELD);
}

const joined = (before: Ways, after: Ways): Ways =>
  before.flatMap((one) =>
    after.map((other) => one.flatMap((start) => other.map((end) => [...start, ...end]))),
  );

const WITH_OCCASION: readonly Row[] = ['votes', 'firstVote', 'streak', 'allSites', 'returning'];

function waysOfRow(key: Row, condition: RawIf, question: Question): Ways {
  if (WITH_OCCASION.includes(key) && !decidedBy(question.vote).includes(key)) return NOT_HELD;
  return rows[key](condition, question);
}

const rows: Record<Row, (condition: RawIf, question: Question) => Ways> = {
  // As today: the entry under which the vote was recorded, or the name of a service without an entry.
  site: ({ site }, { vote }) =>
    heldIf([vote.entry, vote.service].some((name) => [site].flat().includes(name))),
  votes: ({ votes }, question) => votesWays('votes', votes as RawVotes, question),
  firstVote: ({ firstVote }, question) => {
    const of = firstVote === true || firstVote === undefined ? 'total' : firstVote;
    return votesWays('firstVote', { at: [1], of }, question);
  },
  streak: ({ streak }, question) => streakWays(streakOf(streak as number), question),
  allSites: allSitesWays,
  weekday: ({ weekday }, { vote }) => heldIf((weekday ?? []).includes(weekdayOf(vote.day))),
  between: ({ between }, { vote }) => {
    const [first, last] = between as readonly [string, string];
    return heldIf(dayNamed(first) <= vote.day && vote.day <= dayNamed(last));
  },
  hours: ({ hours }, { vote, config }) => heldIf(isWithinHours(hours as string, vote, config)),
  returning: returningWays,
  any: anyWays,
  not: ({ not }, question) => heldIf(waysOf(not as RawIf, question).length === 0),
};

/** "This vote makes the count a multiple, or one of the listed values": so the vote itself has to be counted. */
function votesWays(key: 'votes' | 'firstVote', raw: RawVotes, question: Question): Ways {
  const { votes, vote } = question;
  const of = raw.of ?? 'total';
  if (raw.sites && !raw.sites.includes(vote.service)) return NOT_HELD;
  const count = countFor(votes, vote, of, raw.sites);
  const isReached = raw.every === undefined ? listed(raw.at ?? []).includes(count) : count % raw.every === 0;
  if (!isReached) return NOT_HELD;
  return heldFor({
    ...PLAIN,
    key,
    spelt: totalOccasion(of, vote, count),
    threshold: count,
    isNetwork: of === 'network',
    isTaken: isTotalTaken(raw, count, question),
  });
}

/** "Earlier thresholds are marked as taken"; "the period in progress at the start counts", with its earlier votes. */
function isTotalTaken(raw: RawVotes, count: number, { vote, standing }: Question): boolean {
  const of = raw.of ?? 'total';
  const isPeriod = of === 'day' || of === 'week' || of === 'month';
  if (isPeriod && endedBeforeStart(standing, of, vote.day)) return true;
  return count <= countFor(standing.before, vote, of, raw.sites);
}

function streakWays(streak: Streak, { votes, vote, standing }: Question): Ways {
  const { per } = streak;
  const earlier = everReached(votedPeriods(standing.before, vote.player, streak), streak);
  const due = dueThresholds({
    voted: votedPeriods(votes, vote.player, streak),
    streak,
    period: periodOf(per, vote.day),
    paid: [...earlier, ...paidStreaks(standing, vote.player, per)],
    firstPeriod: periodOf(per, standing.startDay),
  });
  if (due.length === 0) return NOT_HELD;
  return heldFor(
    ...due.map((reached) => ({
      ...PLAIN,
      key: 'streak' as const,
      spelt: streakOccasion(per, reached),
      threshold: reached.threshold,
      streak: { ...reached, per },
    })),
  );
}

/**
 * "With this vote, the player has voted in that period on every entry of `sites` … except `default`; never where there
 * is no such entry", read by service name.
 */
function allSitesWays({ allSites }: RawIf, { votes, vote, config, standing }: Question): Ways {
  const raw = allSites === true || allSites === undefined ? {} : allSites;
  const within = raw.within ?? 'day';
  const period = periodOf(within, vote.day);
  const sites = raw.sites ?? Object.keys(config.sites).filter((entry) => entry !== 'default');
  const isVotedOn = (site: string): boolean =>
    votes.some(
      (other) =>
        marksItsDay(other) &&
        other.player === vote.player &&
        other.service === site &&
        periodOf(within, other.day) === period,
    );
  if (sites.length === 0 || sites.filter(isVotedOn).length < (raw.atLeast ?? sites.length)) return NOT_HELD;
  return heldFor({
    ...PLAIN,
    key: 'allSites',
    spelt: `${within} ${nameOf(within, period)}`,
    isTaken: endedBeforeStart(standing, within, vote.day),
  });
}

/** "End excluded"; "18:00-02:00" goes past midnight. */
function isWithinHours(written: string, vote: RecordedVote, config: OracleConfig): boolean {
  const [start, end] = written.split('-').map(timeOfDay) as [number, number];
  const { sinceMidnight: time } = localTime(config.timeZone, vote.castAt);
  return start < end ? start <= time && time < end : start <= time || time < end;
}

/** "The last counted vote is longer ago; never for a first vote"; "… the last counted vote cast before this one". */
function returningWays({ returning }: RawIf, { votes, vote, standing }: Question): Ways {
  const earlier = votes
    .filter((other) => isCounted(other) && other.player === vote.player && other.castAt < vote.castAt)
    .map(({ castAt }) => castAt);
  if (earlier.length === 0) return NOT_HELD;
  if (vote.castAt - Math.max(...earlier) <= duration(returning as string)) return NOT_HELD;
  return heldFor({
    ...PLAIN,
    key: 'returning',
    spelt: `return ${nameOf('day', vote.day)}`,
    isTaken: endedBeforeStart(standing, 'day', vote.day),
  });
}

/** The arms that hold, in order. For a vote that only marks its day, "arms without `streak` or `allSites` are skipped". */
function anyWays({ any }: RawIf, question: Question): Ways {
  const { vote } = question;
  return (any ?? [])
    .filter((arm) => vote.decision === 'rewarded' || mentions(arm, decidedBy(vote)))
    .flatMap((arm) => waysOf(arm, question));
}
