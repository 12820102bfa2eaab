import type { Window } from '../core/cooldown.ts';
import type { Occasion, ReachedStreak } from '../core/occasion.ts';
import type { Days, Per } from '../core/period.ts';

/**
 * What is known of a recipient's votes when one of them is judged. Everything that a condition asks about earlier votes
 * is here, so that conditions are pure.
 */
export interface History {
  /** How many votes count in totals. */
  count(scope: CountScope): number;
  /** The days on which the recipient voted, oldest first, from one day on until the first long gap on either side. */
  votedRuns(around: VotedAround): readonly Days[];
  /** How many days in a row the recipient voted at most. */
  longestRun(): number;
  /** How many counted votes each of these days has, oldest first. Days without a vote are left out. */
  countedOn(days: Days): readonly CountedDay[];
  /** The services that the recipient voted on. */
  servicesOn(days: Days): ReadonlySet<string>;
  /** When the recipient's last counted vote before an instant was cast; null if there is none. */
  lastCounted(before: number): number | null;
  /** What is known of a reward, by its name. */
  reward(name: string): RewardHistory;
}

export interface CountScope {
  /** The whole network, or the recipient. */
  readonly of: 'network' | 'recipient';
  /** Only for a recipient. Absent: since the beginning. */
  readonly days?: Days;
  /** Absent: on all services. */
  readonly services?: readonly string[] | undefined;
}

export interface VotedAround {
  readonly day: number;
  /** Days without a vote between two runs that are returned, at most. */
  readonly gap: number;
  /** Weeks or months that an import says were voted in count as all of their days. Absent: only days do. */
  readonly per?: Per;
}

/** A day with a vote. */
export interface CountedDay {
  readonly day: number;
  /** Its votes that count in totals; the others only mark the day. */
  readonly counted: number;
}

/** What is known of a reward for one recipient. */
export interface RewardHistory {
  /** The local day on which a running config first contained it. */
  readonly startDay: number;
  /** The days on which the recipient had voted when the reward started. */
  countedOnAtStart(days: Days): readonly CountedDay[];
  /** Whether votes of the recipient that were recorded before the start have been voided since. */
  isReducedSinceStart(): boolean;
  /** Whether this vote only makes a count reach what it had reached at the start, because votes were voided since. */
  isReachedAgain(scope: CountScope): boolean;
  isSpent(occasion: Occasion): boolean;
  /** The streaks that were paid. */
  paidStreaks(per: Per): readonly ReachedStreak[];
  /** How many votes were granted it. */
  countGranted(scope: GrantedScope): number;
  /** When those were cast that were granted it in a span of time. */
  castTimesGranted(of: GrantedScope['of'], span: Window): readonly number[];
}

export interface GrantedScope {
  readonly of: 'network' | 'recipient';
  /** Absent: since the beginning. */
  readonly days?: Days;
}

/** What a vote adds to the history. */
export interface AddedVote {
  readonly service: string;
  readonly day: number;
  /** Whether it counts in totals. */
  readonly isCounted: boolean;
}

/** The history with the vote that is judged, which marks its day. */
export const including = (vote: AddedVote, before: History): History => ({
  ...before,
  count: (scope) => before.count(scope) + (vote.isCounted && isInScope(vote, scope) ? 1 : 0),
  votedRuns: (around) => withMark(vote.day, before.votedRuns(around)),
  longestRun: () =>
    Math.max(
      before.longestRun(),
      ...withMark(vote.day, before.votedRuns({ day: vote.day, gap: 0 })).map(({ from, to }) => to - from + 1),
    ),
  countedOn: (days) => {
    const counted = before.countedOn(days);
    return isOn(vote.day, days) ? withVote(vote, counted) : counted;
  },
  servicesOn: (days) => {
    const services = before.servicesOn(days);
    return isOn(vote.day, days) && !services.has(vote.service)
      ? new Set([...services, vote.service])
      : services;
  },
});

const isOn = (day: number, { from, to }: Days): boolean => day >= from && day <= to;

const isInScope = ({ day, service }: AddedVote, { days, services }: CountScope): boolean =>
  (days === undefined || isOn(day, days)) && (services === undefined || services.includes(service));

/** The runs with one more day, which may join two of them. */
function withMark(day: number, runs: readonly Days[]): readonly Days[] {
  if (runs.some((run) => isOn(day, run))) return runs;
  const before = runs.filter(({ to }) => to < day - 1);
  const after = runs.filter(({ from }) => from > day + 1);
  const joined = runs.slice(before.length, runs.length - after.length);
  const run = { from: Math.min(day, joined[0]?.from ?? day), to: Math.max(day, joined.at(-1)?.to ?? day) };
  return [...before, run, ...after];
}

function withVote({ day, isCounted }: AddedVote, days: readonly CountedDay[]): readonly CountedDay[] {
  const counted = (days.find((each) => each.day === day)?.counted ?? 0) + (isCounted ? 1 : 0);
  return [
    ...days.filter((each) => each.day < day),
    { day, counted },
    ...days.filter((each) => each.day > day),
  ];
}

/** As if nobody had voted before, and every reward had started long ago. */
export const NO_HISTORY: History = {
  count: () => 0,
  votedRuns: () => [],
  longestRun: () => 0,
  countedOn: () => [],
  servicesOn: () => new Set(),
  lastCounted: () => null,
  reward: () => ({
    startDay: Number.MIN_SAFE_INTEGER,
    countedOnAtStart: () => [],
    isReducedSinceStart: () => false,
    isReachedAgain: () => false,
    isSpent: () => false,
    paidStreaks: () => [],
    countGranted: () => 0,
    castTimesGranted: () => [],
  }),
};
