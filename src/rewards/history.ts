/**
 * What is known of a recipient's votes when one of them is judged. Conditions and placeholders declare the facts that they need as
 * data; the caller reads them, all at once, and passes them as values. So nothing in this folder reads anything.
 *
 * What a reward was granted before is asked for only once something would be granted: judging then says which questions are open, and
 * is done again with the answers.
 */
import type { Window } from '../core/cooldown.ts';
import type { Occasion, ReachedBefore, ReachedStreak } from '../core/occasion.ts';
import { type Days, daysOf, PERS, type Per } from '../core/period.ts';

/** A fact about earlier votes. */
export type Need =
  /** How many votes count in totals. A recipient's total on all services is always known. */
  | ({ readonly fact: 'count' } & CountScope)
  /** The services that were voted on. */
  | { readonly fact: 'services'; readonly days: Days }
  /** The days voted on around a day, as far as gaps of so many days. @see VotedAround */
  | ({ readonly fact: 'runs'; readonly withVotes: boolean } & VotedAround)
  | { readonly fact: 'last-counted' }
  | { readonly fact: 'longest-run' };

export interface CountScope {
  /** The whole network, or the recipient. */
  readonly of: 'network' | 'recipient';
  /** Only for a recipient. Absent: since the beginning. */
  readonly days?: Days | undefined;
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

/** A day with a vote. */
export interface CountedDay {
  readonly day: number;
  /** Its votes that count in totals; the others only mark the day. */
  readonly counted: number;
}

export function needsFrom(all: readonly Need[]): Needs {
  const of = <Fact extends Need['fact']>(fact: Fact) =>
    all.filter((need): need is Extract<Need, { fact: Fact }> => need.fact === fact);
  const totalOn: string[] = [];
  const network: string[] = [];
  const spans: Days[] = [];
  const counts: Needs['counts'][number][] = [];
  for (const { of: whose, days, services } of of('count')) {
    if (whose === 'network') network.push(...(services ?? [NETWORK]));
    else if (days === undefined) totalOn.push(...(services ?? []));
    else if (services === undefined) spans.push(days);
    else counts.push({ days, services });
  }
  return {
    totalOn: unique(totalOn),
    network: unique(network),
    spans: unique(spans),
    days: widest(spans),
    counts: unique(counts),
    servicesOn: widest(of('services').map(({ days }) => days)),
    runs: PERS.flatMap((per) => widestRuns(of('runs').filter((need) => need.per === per))),
    lastCounted: of('last-counted').length > 0,
    longestRun: of('longest-run').length > 0,
  };
}

const unique = <Value>(values: readonly Value[]): readonly Value[] => [
  ...new Map(values.map((value) => [JSON.stringify(value), value])).values(),
];

const widest = (spans: readonly Days[]): Days | null =>
  spans.length === 0
    ? null
    : { from: Math.min(...spans.map(({ from }) => from)), to: Math.max(...spans.map(({ to }) => to)) };

/** All of one kind of period are around the same day. */
function widestRuns(needs: Needs['runs']): Needs['runs'] {
  const [first] = needs;
  if (first === undefined) return [];
  const gap = Math.max(...needs.map((need) => need.gap));
  return [{ ...first, gap, withVotes: needs.some(({ withVotes }) => withVotes) }];
}

/** The facts with the vote that is judged, which marks its day. Throws for a fact that was not declared. */
export class History {
  /** @param added what the vote adds; null: it is among the facts already, or there is none. */
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
    const { needs, known } = this;
    if (of === 'network')
      return sum(services ?? [NETWORK], (service) => declared(known.network.get(service)));
    if (days === undefined)
      return services === undefined
        ? known.total
        : sum(services, (service) => declared(known.totalOn.get(service)));
    if (services !== undefined) {
      const wanted = JSON.stringify({ days, services });
      return declared(known.counts[needs.counts.findIndex((need) => JSON.stringify(need) === wanted)]);
    }
    declared(needs.spans.find((span) => isSame(span, days)));
    return (
      sum(known.days, ({ day, counted }) => (isOn(day, days) ? counted : 0)) +
      sum(known.elsewhere, (each) => (isSame(each.days, days) ? each.counted : 0))
    );
  }

  /** The days on which the recipient voted, oldest first, from one day on until the first long gap on either side. */
  votedRuns({ day, gap, per }: VotedAround): readonly Days[] {
    const runs = nearRuns(declared(this.known.runs.get(per)).days, day, gap);
    return this.added === null ? runs : withMark(this.added, runs);
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

/** A history that answers what needs no facts, as if nobody had voted before. */
export const NO_HISTORY = new History(
  needsFrom([]),
  {
    total: 0,
    changedOn: Number.NEGATIVE_INFINITY,
    totalOn: new Map(),
    network: new Map(),
    days: [],
    elsewhere: [],
    counts: [],
    servicesOn: new Map(),
    runs: new Map(),
    lastCounted: null,
    longestRun: 0,
  },
  null,
);

function declared<Fact>(fact: Fact | undefined): Fact {
  if (fact === undefined) throw new Error('a fact is used that was not declared as a need');
  return fact;
}

const sum = <Each>(all: readonly Each[], of: (each: Each) => number): number =>
  all.reduce((total, each) => total + of(each), 0);

const isSame = (one: Days, other: Days): boolean => one.from === other.from && one.to === other.to;

export const isOn = (day: number, { from, to }: Days): boolean => day >= from && day <= to;

/** A vote that is added, and whether it counts in totals. */
interface AddedVote {
  readonly service: string;
  readonly day: number;
  readonly isCounted: boolean;
}

const isInScope = ({ day, service }: AddedVote, { days, services }: CountScope): boolean =>
  (days === undefined || isOn(day, days)) && (services === undefined || services.includes(service));

/** Of runs in order, those that are reached from a day without a gap that is too long. */
function nearRuns(runs: readonly Days[], day: number, gap: number): readonly Days[] {
  let [from, to] = [day, day];
  for (let at = runs.length - 1; at >= 0; at--) {
    const run = runs[at] as Days;
    if (run.from <= day && from - run.to - 1 <= gap) from = Math.min(from, run.from);
  }
  for (const run of runs) if (run.from - to - 1 <= gap) to = Math.max(to, run.to);
  return runs.filter((run) => run.from >= from && run.to <= to);
}

/** The runs with one more day, which may join two of them. */
function withMark({ day }: AddedVote, runs: readonly Days[]): readonly Days[] {
  if (runs.some((run) => isOn(day, run))) return runs;
  const before = runs.filter(({ to }) => to < day);
  return joinedRows([...before, { from: day, to: day }, ...runs.slice(before.length)]);
}

/** Joins stretches of days, or of other periods, that overlap or follow one another. @param stretches in order of their beginnings. */
export function joinedRows(stretches: readonly Days[]): readonly Days[] {
  const rows: Days[] = [];
  for (const { from, to } of stretches) {
    const last = rows.at(-1);
    if (last === undefined || from > last.to + 1) rows.push({ from, to });
    else rows[rows.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return rows;
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
export type Question = { readonly reward: string } & About;

type About =
  | { readonly about: 'spent'; readonly occasion: Occasion }
  /** The streaks that were paid. */
  | { readonly about: 'streaks'; readonly per: Per }
  /** How many votes were granted it. */
  | { readonly about: 'granted'; readonly scope: GrantedScope }
  /** When those were cast that were granted it in a span of time. */
  | { readonly about: 'cast-times'; readonly of: GrantedScope['of']; readonly span: Window }
  /** The days on which the recipient had voted when the reward started. */
  | { readonly about: 'at-start'; readonly days: Days }
  /** Whether votes of the recipient that were recorded before the start have been voided since. */
  | { readonly about: 'reduced' }
  /** Whether this vote only makes a count reach what it had reached earlier, because votes were voided since; null: it does not. */
  | { readonly about: 'again'; readonly scope: CountScope };

/** Whose grants, and on which days. */
export type GrantedScope = Pick<CountScope, 'of' | 'days'>;

/** What is assumed while there is no answer: nothing was granted before. */
const ASSUMED = {
  spent: false,
  streaks: [] as readonly ReachedStreak[],
  granted: 0,
  'cast-times': [] as readonly number[],
  'at-start': [] as readonly CountedDay[],
  reduced: false,
  again: null as ReachedBefore | null,
};

type AnswerTo = typeof ASSUMED;

/** The answers so far, and the questions that came up without one. */
export class Answers {
  readonly open = new Map<string, Question>();

  /** @param settled by reward, the verdicts that further answers do not change. */
  constructor(
    readonly known: ReadonlyMap<string, unknown> = new Map(),
    private readonly settled = new Map<string, unknown>(),
  ) {}

  /** These answers, and those to the open questions. */
  with(answers: ReadonlyMap<Question, unknown>): Answers {
    const answered = [...this.open].map(([key, question]) => [key, answers.get(question)] as const);
    return new Answers(new Map([...this.known, ...answered]), this.settled);
  }

  /** Judges a reward, and keeps the verdict if it opened no question. */
  settle<Judged>(reward: string, judge: () => Judged): Judged {
    if (this.settled.has(reward)) return this.settled.get(reward) as Judged;
    const opened = this.open.size;
    const judged = judge();
    if (this.open.size === opened) this.settled.set(reward, judged);
    return judged;
  }
}

/** What is known of a reward for one recipient. */
export class RewardHistory {
  /** @param startDay the local day on which a running config first contained it. */
  constructor(
    private readonly reward: string,
    readonly startDay: number,
    private readonly answers: Answers,
  ) {}

  /** @returns what is assumed while there is no answer. */
  ask<Asked extends About>(asked: Asked): AnswerTo[Asked['about']] {
    const { known, open } = this.answers;
    const question = { ...asked, reward: this.reward };
    const key = JSON.stringify(question);
    if (!known.has(key)) open.set(key, question);
    return (known.has(key) ? known.get(key) : ASSUMED[asked.about]) as AnswerTo[Asked['about']];
  }
}
