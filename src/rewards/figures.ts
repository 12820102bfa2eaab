import type { Occasion } from '../core/occasion.ts';
import { daysOf, type Per, periodOf } from '../core/period.ts';
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

const counted = ({ history }: FigureSource, scope: Omit<CountScope, 'of'> = {}): number =>
  history.count({ of: 'recipient', ...scope });

const countedIn = (per: Per, source: FigureSource): number =>
  counted(source, { days: daysOf(per, periodOf(per, source.vote.day)) });

/** How many days in a row the player had voted on the day of the vote. */
function runOfDays({ history, vote: { day } }: FigureSource): number {
  const run = history.votedRuns({ day, gap: 0 }).find(({ from, to }) => from <= day && day <= to);
  return run === undefined ? 0 : day - run.from + 1;
}

const figures: Readonly<Record<Figure, (source: FigureSource) => string | number | undefined>> = {
  votes: (source) => counted(source),
  votesDay: (source) => countedIn('day', source),
  votesWeek: (source) => countedIn('week', source),
  votesMonth: (source) => countedIn('month', source),
  votesSite: (source) => counted(source, { services: [source.vote.service] }),
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
