import type { Occasion } from '../core/occasion.ts';
import { type Days, daysOf, type Per, periodOf } from '../core/period.ts';
import { FIGURE_PLACEHOLDERS, type Figure, filledInAny } from '../core/placeholders.ts';
import type { Figures } from '../core/template.ts';
import type { JudgedVote } from './condition.ts';
import type { CountScope, History } from './history.ts';

/** What figures follow from. */
export interface FigureSource {
  readonly vote: JudgedVote;
  /** With the vote. */
  readonly history: History;
  /** The services that votes of the recipient's kind come from. */
  readonly listed: readonly string[];
  readonly occasion: Occasion;
  /** Figures that do not depend on the player. */
  readonly shared?: Figures;
}

type Counting = Pick<History, 'count'>;

const counted = (history: Counting, scope: Omit<CountScope, 'of'> = {}): number =>
  history.count({ of: 'recipient', ...scope });

const countedIn = (per: Per, history: Counting, day: number): number =>
  counted(history, { days: daysOf(per, periodOf(per, day)) });

/** How many votes a recipient has in total, and in the periods that a day belongs to. */
export const countsOn = (history: Counting, day: number): Readonly<Record<Per | 'total', number>> => ({
  total: counted(history),
  day: countedIn('day', history, day),
  week: countedIn('week', history, day),
  month: countedIn('month', history, day),
});

/** The days in a row on which a recipient voted up to a day or the day before, which is not over then; null: none. */
export const runUpTo = (history: Pick<History, 'votedRuns'>, day: number): Days | null =>
  history.votedRuns({ day, gap: 0 }).find(({ from, to }) => from <= day && to >= day - 1) ?? null;

/** How many days in a row the player had voted on the day of the vote. */
function runOfDays({ history, vote: { day } }: FigureSource): number {
  const run = runUpTo(history, day);
  return run === null || run.to < day ? 0 : day - run.from + 1;
}

const figures: Readonly<Record<Figure, (source: FigureSource) => string | number | undefined>> = {
  votes: ({ history }) => counted(history),
  votesDay: ({ history, vote }) => countedIn('day', history, vote.day),
  votesWeek: ({ history, vote }) => countedIn('week', history, vote.day),
  votesMonth: ({ history, vote }) => countedIn('month', history, vote.day),
  votesSite: ({ history, vote }) => counted(history, { services: [vote.service] }),
  streak: (source) => source.occasion.streaks[0]?.length ?? runOfDays(source),
  bestStreak: ({ history }) => history.longestRun(),
  occasion: ({ occasion }) => occasion.name,
  sitesLeft: ({ history, listed, vote: { day } }) => {
    const voted = history.servicesOn({ from: day, to: day });
    return listed.filter((service) => !voted.has(service)).length;
  },
  partyVotes: ({ shared }) => shared?.partyVotes,
  partyLeft: ({ shared }) => shared?.partyLeft,
};

/** The figures that these templates ask for. Others are not computed, because each reads the ledger. */
export function figuresFor(templates: readonly string[], source: FigureSource): Figures {
  const wanted = new Set(
    filledInAny(templates).flatMap((filled) => (filled.kind === 'word' ? [filled.name] : [])),
  );
  return Object.fromEntries(
    FIGURE_PLACEHOLDERS.filter((name) => wanted.has(name)).flatMap((name) => {
      const value = figures[name](source);
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
