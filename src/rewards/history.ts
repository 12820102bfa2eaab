/**
 * What is known of a recipient's votes when one of them is judged. Conditions and placeholders declare the facts that they need as
 * data; whoever judges reads them, all at once, and passes them as values. So nothing in this folder reads anything.
 *
 * What a reward was granted before is asked for only once something would be granted: judging then says which questions are open, and
 * is done again with the answers.
 */
import type { Window } from '../core/cooldown.ts';
import type { Occasion, ReachedBefore, ReachedStreak } from '../core/occasion.ts';
import { type Days, daysOf, PERS, type Per } from '../core/period.ts';

/** A fact about earlier votes. A recipient's total is always known. */
export type Need =
  /** Counted votes since the beginning: on some services, of the recipient; or of the whole network. */
  | { readonly fact: 'total'; readonly services: readonly string[] }
  | { readonly fact: 'network'; readonly services?: readonly string[] | undefined }
  /** Counted votes in some days: all of them, or those on some services. */
  | { readonly fact: 'count'; readonly days: Days; readonly services?: readonly string[] | undefined }
  /** The services that were voted on. */
  | { readonly fact: 'services'; readonly days: Days }
  /** The days voted on around a day, as far as gaps of so many days. @see VotedAround */
  | ({ readonly fact: 'runs'; readonly withVotes: boolean } & VotedAround)
  | { readonly fact: 'last-counted' }
  | { readonly fact: 'longest-run' };

/** Needs put together, so that each fact is read once. */
export interface Needs {
  readonly totalOn: readonly string[];
  /** By service; `NETWORK` for all of them. */
  readonly network: readonly string[];
  /** Days whose counted votes are needed, and their widest span; null: none. */
  readonly spans: readonly Days[];
  readonly days: Days | null;
  readonly counts: readonly { readonly days: Days; readonly services: readonly string[] }[];
  readonly servicesOn: Days | null;
  /** At most one for each kind of period, with the widest gap. */
  readonly runs: readonly Extract<Need, { fact: 'runs' }>[];
  readonly lastCounted: boolean;
  readonly longestRun: boolean;
}

/** The facts, without the vote that is judged. */
export interface Known {
  readonly total: number;
  /**
   * The local day on which another name or an import last joined the votes, or some were split off. What they had reached by then
   * pays nothing by itself. Before all votes: never.
   */
  readonly changedOn: number;
  readonly totalOn: ReadonlyMap<string, number>;
  readonly network: ReadonlyMap<string, number>;
  /** Each day with a vote, oldest first. */
  readonly days: readonly CountedDay[];
  /** Votes of a span that were counted elsewhere, before Teller ran, and have no days. */
  readonly elsewhere: readonly { readonly days: Days; readonly counted: number }[];
  /** In the order of the needs. */
  readonly counts: readonly number[];
  readonly servicesOn: ReadonlyMap<number, readonly string[]>;
  readonly runs: ReadonlyMap<Per, KnownRuns>;
  /** When the last counted vote before the cast time was cast; null if there is none. */
  readonly lastCounted: number | null;
  readonly longestRun: number;
}

/** Days voted on, oldest first, and their votes if these are needed. */
export interface KnownRuns {
  readonly days: readonly Days[];
  readonly votes: readonly CountedDay[];
}

export const NETWORK = '';
export const ALL_DAYS: Days = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

/** As if nobody had voted before. */
const NOTHING_KNOWN: Known = {
  ...{
    total: 0,
    changedOn: Number.NEGATIVE_INFINITY,
    totalOn: new Map(),
    network: new Map(),
    days: [],
    elsewhere: [],
    counts: [],
  },
  ...{ servicesOn: new Map(), runs: new Map(), lastCounted: null, longestRun: 0 },
};

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
  /** What the periods of a streak are. */
  readonly per: Per;
}

/** A day with a vote. */
export interface CountedDay {
  readonly day: number;
  /** Its votes that count in totals; the others only mark the day. */
  readonly counted: number;
}

export function needsFrom(all: readonly Need[]): Needs {
  const of = <Fact extends Need['fact']>(fact: Fact) =>
    all.filter((need): need is Extract<Need, { fact: Fact }> => need.fact === fact);
  const spans = of('count').flatMap(({ days, services }) => (services === undefined ? [days] : []));
  return {
    totalOn: unique(of('total').flatMap(({ services }) => services)),
    network: unique(of('network').flatMap(({ services = [NETWORK] }) => services)),
    spans: [...new Map(spans.map((days) => [`${days.from} ${days.to}`, days])).values()],
    days: widest(spans),
    counts: [
      ...new Map(
        of('count').flatMap(({ days, services }) =>
          services === undefined ? [] : [[countKey(days, services), { days, services }] as const],
        ),
      ).values(),
    ],
    servicesOn: widest(of('services').map(({ days }) => days)),
    runs: PERS.flatMap((per) => widestRuns(of('runs').filter((need) => need.per === per))),
    lastCounted: of('last-counted').length > 0,
    longestRun: of('longest-run').length > 0,
  };
}

const unique = (values: readonly string[]): readonly string[] => [...new Set(values)];

const countKey = ({ from, to }: Days, services: readonly string[]): string =>
  JSON.stringify([from, to, services]);

const widest = (spans: readonly Days[]): Days | null =>
  spans.length === 0
    ? null
    : {
        from: Math.min(...spans.map(({ from }) => from)),
        to: Math.max(...spans.map(({ to }) => to)),
      };

/** All of one kind of period are around the same day. */
function widestRuns(needs: Needs['runs']): Needs['runs'] {
  const [first] = needs;
  if (first === undefined) return [];
  const gap = Math.max(...needs.map((need) => need.gap));
  return [{ ...first, gap, withVotes: needs.some(({ withVotes }) => withVotes) }];
}

/** What a vote adds to the history. */
interface AddedVote {
  readonly service: string;
  readonly day: number;
  /** Whether it counts in totals. */
  readonly isCounted: boolean;
}

/** The facts with the vote that is judged, which marks its day. Throws for a fact that was not declared. */
export class History {
  /** @param added null: the vote is among the facts already, or there is none. */
  constructor(
    private readonly needs: Needs,
    private readonly known: Known,
    private readonly added: AddedVote | null,
  ) {}

  /** Without the vote that is judged. */
  before(): History {
    return new History(this.needs, this.known, null);
  }

  /** Whether a period began after the votes last came to be of one player. */
  isSinceChange(per: Per, period: number): boolean {
    return this.known.changedOn < daysOf(per, period).from;
  }

  /** How many votes count in totals. */
  count(scope: CountScope): number {
    return this.countBefore(scope) + (this.added?.isCounted && isInScope(this.added, scope) ? 1 : 0);
  }

  private countBefore({ of, days, services }: CountScope): number {
    const { known } = this;
    if (of === 'network')
      return sum((services ?? [NETWORK]).map((service) => declared(known.network.get(service))));
    if (days === undefined)
      return services === undefined
        ? known.total
        : sum(services.map((service) => declared(known.totalOn.get(service))));
    if (services !== undefined) {
      const key = countKey(days, services);
      const at = this.needs.counts.findIndex((need) => countKey(need.days, need.services) === key);
      return declared(known.counts[at]);
    }
    const isDeclared = this.needs.spans.some(({ from, to }) => from === days.from && to === days.to);
    const counted = known.days.filter(({ day }) => isOn(day, days)).map((each) => each.counted);
    const elsewhere = known.elsewhere.filter(
      (each) => each.days.from === days.from && each.days.to === days.to,
    );
    return declared(isDeclared ? sum([...counted, ...elsewhere.map((each) => each.counted)]) : undefined);
  }

  /** The days on which the recipient voted, oldest first, from one day on until the first long gap on either side. */
  votedRuns({ day, gap, per }: VotedAround): readonly Days[] {
    return withMark(this.added, nearRuns(declared(this.known.runs.get(per)).days, day, gap));
  }

  /** The votes of the days of such runs, oldest first. Days without a vote are left out. */
  votesOfRuns(per: Per, days: Days): readonly CountedDay[] {
    const votes = declared(this.known.runs.get(per)).votes.filter(({ day }) => isOn(day, days));
    return this.added !== null && isOn(this.added.day, days) ? withVote(this.added, votes) : votes;
  }

  /** How many days in a row the recipient voted at most. @param day of the vote. */
  longestRun(day: number): number {
    const runs = this.votedRuns({ day, gap: 0, per: 'day' });
    return Math.max(this.known.longestRun, ...runs.map(({ from, to }) => to - from + 1));
  }

  /** The services that the recipient voted on. */
  servicesOn({ from, to }: Days): ReadonlySet<string> {
    const { servicesOn } = this.needs;
    declared(servicesOn !== null && servicesOn.from <= from && servicesOn.to >= to ? true : undefined);
    const found = new Set<string>();
    for (let day = from; day <= to; day++)
      for (const service of this.known.servicesOn.get(day) ?? []) found.add(service);
    if (this.added !== null && isOn(this.added.day, { from, to })) found.add(this.added.service);
    return found;
  }

  /** When the last counted vote before the judged one was cast; null if there is none. */
  lastCounted(): number | null {
    return declared(this.needs.lastCounted ? this.known.lastCounted : undefined);
  }
}

/** A history that answers what needs no facts. */
export const NO_HISTORY = new History(needsFrom([]), NOTHING_KNOWN, null);

function declared<Fact>(fact: Fact | undefined): Fact {
  if (fact === undefined) throw new Error('a fact is used that was not declared as a need');
  return fact;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const isOn = (day: number, { from, to }: Days): boolean => day >= from && day <= to;

const isInScope = ({ day, service }: AddedVote, { days, services }: CountScope): boolean =>
  (days === undefined || isOn(day, days)) && (services === undefined || services.includes(service));

/** Of runs in order, those that are reached from a day without a gap that is too long. */
function nearRuns(runs: readonly Days[], day: number, gap: number): readonly Days[] {
  const later = runs.findIndex(({ from }) => from > day);
  const split = later === -1 ? runs.length : later;
  let first = split;
  let edge = day;
  for (let run = runs[first - 1]; run !== undefined && edge - run.to - 1 <= gap; run = runs[first - 1]) {
    edge = Math.min(edge, run.from);
    first--;
  }
  let end = split;
  edge = Math.max(day, runs[split - 1]?.to ?? day);
  for (let run = runs[end]; run !== undefined && run.from - edge - 1 <= gap; run = runs[end]) {
    edge = run.to;
    end++;
  }
  return runs.slice(first, end);
}

/** The runs with one more day, which may join two of them. */
function withMark(added: AddedVote | null, runs: readonly Days[]): readonly Days[] {
  if (added === null || runs.some((run) => isOn(added.day, run))) return runs;
  const { day } = added;
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

/** A question about what a reward was granted for, or about its start; its `reward` is the name. */
export type Question = { readonly reward: string } & (
  | { readonly about: 'spent'; readonly occasion: Occasion }
  | { readonly about: 'streaks'; readonly per: Per }
  | { readonly about: 'granted'; readonly scope: GrantedScope }
  | { readonly about: 'cast-times'; readonly of: GrantedScope['of']; readonly span: Window }
  | { readonly about: 'at-start'; readonly days: Days }
  | { readonly about: 'reduced' }
  | { readonly about: 'again'; readonly scope: CountScope }
);

export interface GrantedScope {
  readonly of: 'network' | 'recipient';
  /** Absent: since the beginning. */
  readonly days?: Days;
}

type WithoutReward<Of> = Of extends unknown ? Omit<Of, 'reward'> : never;
type Asked = WithoutReward<Question>;

/** The answers so far, and the questions that came up without one. */
export class Answers {
  readonly open = new Map<string, Question>();

  constructor(private readonly known: ReadonlyMap<string, unknown> = new Map()) {}

  /** @param assumed while there is no answer: nothing was granted before. */
  to<Answer>(question: Question, assumed: Answer): Answer {
    const key = JSON.stringify(question);
    if (this.known.has(key)) return this.known.get(key) as Answer;
    this.open.set(key, question);
    return assumed;
  }

  /** These answers, and those to the open questions. */
  with(answer: (question: Question) => unknown): Answers {
    return new Answers(
      new Map([...this.known, ...[...this.open].map(([key, one]) => [key, answer(one)] as const)]),
    );
  }
}

/** What is known of a reward for one recipient. */
export class RewardHistory {
  /** @param startDay the local day on which a running config first contained it. */
  constructor(
    private readonly name: string,
    readonly startDay: number,
    private readonly answers: Answers,
  ) {}

  private ask<Answer>(about: Asked, assumed: Answer): Answer {
    return this.answers.to({ reward: this.name, ...about } as Question, assumed);
  }

  isSpent(occasion: Occasion): boolean {
    return this.ask({ about: 'spent', occasion }, false);
  }

  /** The streaks that were paid. */
  paidStreaks(per: Per): readonly ReachedStreak[] {
    return this.ask<readonly ReachedStreak[]>({ about: 'streaks', per }, []);
  }

  /** How many votes were granted it. */
  countGranted(scope: GrantedScope): number {
    return this.ask({ about: 'granted', scope }, 0);
  }

  /** When those were cast that were granted it in a span of time. */
  castTimesGranted(of: GrantedScope['of'], span: Window): readonly number[] {
    return this.ask<readonly number[]>({ about: 'cast-times', of, span }, []);
  }

  /** The days on which the recipient had voted when the reward started. */
  countedOnAtStart(days: Days): readonly CountedDay[] {
    return this.ask<readonly CountedDay[]>({ about: 'at-start', days }, []);
  }

  /** Whether votes of the recipient that were recorded before the start have been voided since. */
  isReducedSinceStart(): boolean {
    return this.ask({ about: 'reduced' }, false);
  }

  /** Whether this vote only makes a count reach what it had reached earlier, because votes were voided since; null: it does not. */
  reachedBefore(scope: CountScope): ReachedBefore | null {
    return this.ask<ReachedBefore | null>({ about: 'again', scope }, null);
  }
}
