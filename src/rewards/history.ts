import type { Days, Per } from '../core/period.ts';
import type { Window } from '../core/cooldown.ts';
import type { Occasion, ReachedStreak } from '../core/occasion.ts';

/**
 * What is known of a recipient's votes when one of them is judged. Everything that a condition asks about earlier votes
 * is here, so that conditions are pure.
 */
export interface History {
  /** How many votes count in totals. */
  count(scope: CountScope): number;
  /** The days on which the recipient voted, oldest first, from one day on until the first long gap on either side. */
  votedDays(around: VotedAround): readonly VotedDay[];
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
  /** Days without a vote between two that are returned, at most. */
  readonly gap: number;
}

export interface VotedDay {
  readonly day: number;
  /** Votes that count in totals; the others only mark the day. */
  readonly counted: number;
}

/** What is known of a reward for one recipient. */
export interface RewardHistory {
  /** The local day on which a running config first contained it. */
  readonly startDay: number;
  /** The days on which the recipient had voted when the reward started. */
  votedDaysAtStart(days: Days): readonly VotedDay[];
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
  votedDays: (around) => withDay(vote, before.votedDays(around)),
  servicesOn: (days) => {
    const services = before.servicesOn(days);
    return isOn(vote.day, days) ? new Set([...services, vote.service]) : services;
  },
});

const isOn = (day: number, { from, to }: Days): boolean => day >= from && day <= to;

const isInScope = ({ day, service }: AddedVote, { days, services }: CountScope): boolean =>
  (days === undefined || isOn(day, days)) && (services === undefined || services.includes(service));

function withDay({ day, isCounted }: AddedVote, voted: readonly VotedDay[]): readonly VotedDay[] {
  const counted = (voted.find((each) => each.day === day)?.counted ?? 0) + (isCounted ? 1 : 0);
  return [
    ...voted.filter((each) => each.day < day),
    { day, counted },
    ...voted.filter((each) => each.day > day),
  ];
}

/** As if nobody had voted before, and every reward had started long ago. */
export const NO_HISTORY: History = {
  count: () => 0,
  votedDays: () => [],
  servicesOn: () => new Set(),
  lastCounted: () => null,
  reward: () => ({
    startDay: Number.MIN_SAFE_INTEGER,
    votedDaysAtStart: () => [],
    isSpent: () => false,
    paidStreaks: () => [],
    countGranted: () => 0,
    castTimesGranted: () => [],
  }),
};
