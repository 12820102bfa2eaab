/** What a reward that is granted owes: which of its commands, with what filled in, and on which game servers. */
import type { AnnouncementTerms } from '../core/announcement.ts';
import type { Choice } from '../core/choice.ts';
import type { FilledIn, PlannedGrant } from '../core/decide.ts';
import type { Occasion } from '../core/occasion.ts';
import { type Days, daysOf, PERS, type Per, periodOf } from '../core/period.ts';
import {
  FIGURE_PLACEHOLDERS,
  type Figure,
  filledInAny,
  needs,
  PLACEHOLDERS,
  type Placeholder,
} from '../core/placeholders.ts';
import { poolOf } from '../core/pool.ts';
import { NO_SERVICE_NAME } from '../core/service-name.ts';
import { cleanService, type Figures, openCommand } from '../core/template.ts';
import type { JudgedVote, VoteKind } from './condition.ts';
import { type Draws, draw } from './draws.ts';
import type { CountScope, History, Need } from './history.ts';
import {
  type Alternative,
  misfitOf,
  type Prize,
  type Reward,
  type RewardCommands,
  type Rules,
  templatesOf,
} from './reward.ts';

/** What a reward is granted for, and which of its commands. */
export interface Granted {
  readonly occasion: Occasion;
  readonly choice: Choice | null;
}

/** What the commands of a grant are filled in from. */
interface GrantSource {
  readonly vote: JudgedVote;
  /** With the vote. */
  readonly history: History;
  readonly draws: Draws;
  readonly rules: Rules;
  /** Figures that do not depend on the player. */
  readonly shared?: Figures;
}

/**
 * What a reward owes for a vote and an occasion: a grant on each of its game servers, with the same commands, or one grant
 * on the one that the player is on.
 */
export function planGrants(
  reward: Reward,
  { occasion, choice }: Granted,
  source: GrantSource,
): readonly PlannedGrant[] {
  const { vote, rules } = source;
  const userId = vote.recipient.kind === 'user' ? vote.recipient.key : null;
  const templates = commandsFor(reward, choice) ?? [];
  const filled = filledFor(reward, templates, occasion, source);
  const known = { ...vote, userId, ...filled, links: rules.links[vote.recipient.kind] };
  const commands = openCommands(templates, known, rules.labels);
  const { name, when, safeToRunTwice, terms } = reward;
  return placesOf(reward, rules).map((place) => ({
    ...place,
    reward: name,
    occasion: occasion.name,
    when,
    safeToRunTwice,
    terms,
    announcement: announcementOf(reward, choice, commands.length),
    choice,
    filled,
    commands,
  }));
}

/** A pool never mixes practice servers with real ones (rule 9). */
function placesOf(
  { servers, whereOnline }: Reward,
  { practiceServers }: Rules,
): readonly Pick<PlannedGrant, 'server' | 'practice'>[] {
  const each = servers.map((server) => ({ server, practice: practiceServers.has(server) }));
  const [first] = each;
  return whereOnline && first !== undefined ? [{ ...first, server: poolOf(servers) }] : each;
}

/** Only what the templates ask for. */
function filledFor(
  reward: Reward,
  templates: readonly string[],
  occasion: Occasion,
  source: GrantSource,
): FilledIn {
  const { vote, draws } = source;
  const asked = filledInAny(templates);
  const figures: Record<string, string | number> = {};
  for (const name of figuresIn(templates)) {
    const value = figureOf[name].value(source, occasion);
    if (value !== undefined) figures[name] = value;
  }
  const isRandom = asked.some(({ kind }) => kind === 'random');
  const isNextVote = asked.some((filled) => filled.kind === 'word' && filled.name === 'nextVote');
  return {
    ...(Object.keys(figures).length > 0 ? { figures } : {}),
    // Where nothing is drawn, the range itself says most.
    ...(isRandom && draws.kind !== 'won'
      ? { random: draw(draws, 'random', reward.name, occasion.name) }
      : {}),
    ...(isNextVote ? { nextVote: vote.nextAt } : {}),
  };
}

/** What a reward's commands need to know of a vote. */
interface VoteInCommands extends FilledIn {
  readonly service: string;
  readonly site: string;
  /** null for a recipient with a player name. */
  readonly userId: string | null;
  /** The pages on which to vote. */
  readonly links: readonly string[];
}

/** Commands for a vote, with `{player}` not replaced yet. */
export function openCommands(
  templates: readonly string[],
  { userId, ...vote }: VoteInCommands,
  labels: Rules['labels'],
): string[] {
  const service = cleanService(vote.service);
  const values = {
    ...vote,
    site: labels.get(vote.site) ?? (vote.service === '' ? NO_SERVICE_NAME : service),
    service,
    ...(userId === null ? {} : { userId }),
  };
  return templates.map((template) => openCommand(template, values));
}

/** A broadcast is the last command of a grant, and is not sent with `otherwise`. */
function announcementOf(
  { announcement }: Reward,
  choice: Choice | null,
  commands: number,
): AnnouncementTerms | null {
  if (announcement === null) return null;
  const { isWhole, atMost } = announcement;
  if (isWhole) return { first: 0, atMost };
  return choice?.from === 'otherwise' ? null : { first: commands - 1, atMost };
}

/** What a figure needs of votes like one, and how it follows from a vote and what its reward is granted for. */
interface FigureOf {
  readonly needs?: (about: VoteKind) => readonly Need[];
  readonly value: (source: GrantSource, occasion: Occasion) => string | number | undefined;
}

const inPeriod = (per: Per, day: number): Days => daysOf(per, periodOf(per, day));

const runOfDays = (day: number): Need => ({ fact: 'runs', withVotes: false, day, gap: 0, per: 'day' });

/** A count of the recipient's votes. */
const counted = (scopeOf: (vote: Pick<VoteKind, 'day' | 'service'>) => Omit<CountScope, 'of'>): FigureOf => ({
  needs: (about) => [{ fact: 'count', of: 'recipient', ...scopeOf(about) }],
  value: ({ history, vote }) => history.count({ of: 'recipient', ...scopeOf(vote) }),
});

/** The days in a row on which a recipient voted up to a day or the day before, which is not over then; null: none. */
export const runUpTo = (history: History, day: number): Days | null =>
  history.votedRuns({ day, gap: 0, per: 'day' }).find(({ from, to }) => from <= day && to >= day - 1) ?? null;

const figureOf: Readonly<Record<Figure, FigureOf>> = {
  votes: counted(() => ({})),
  votesDay: counted(({ day }) => ({ days: inPeriod('day', day) })),
  votesWeek: counted(({ day }) => ({ days: inPeriod('week', day) })),
  votesMonth: counted(({ day }) => ({ days: inPeriod('month', day) })),
  votesSite: counted(({ service }) => ({ services: [service] })),
  streak: {
    needs: ({ day }) => [runOfDays(day)],
    value: ({ history, vote: { day } }, { streaks }) => {
      const run = runUpTo(history, day);
      return streaks[0]?.length ?? (run === null || run.to < day ? 0 : day - run.from + 1);
    },
  },
  bestStreak: {
    // The longest run may be the one that the vote lengthens.
    needs: ({ day }) => [{ fact: 'longest-run' }, runOfDays(day)],
    value: ({ history, vote }) => history.longestRun(vote.day),
  },
  occasion: { value: (_, { name }) => name },
  sitesLeft: {
    needs: ({ day }) => [{ fact: 'services', days: { from: day, to: day } }],
    value: ({ history, rules, vote: { day, recipient } }) => {
      const voted = history.servicesOn({ from: day, to: day });
      return rules.listed[recipient.kind].filter((service) => !voted.has(service)).length;
    },
  },
  partyVotes: { value: ({ shared }) => shared?.partyVotes },
  partyLeft: { value: ({ shared }) => shared?.partyLeft },
};

const figuresIn = (templates: readonly string[]): readonly Figure[] => {
  const filled = filledInAny(templates);
  return FIGURE_PLACEHOLDERS.filter((name) =>
    filled.some((each) => each.kind === 'word' && each.name === name),
  );
};

/** The facts that these templates need for votes like this one. */
export const needsOfTemplates = (templates: readonly string[], about: VoteKind): readonly Need[] =>
  figuresIn(templates).flatMap((name) => figureOf[name].needs?.(about) ?? []);

/** What `countsOn` and `runUpTo` need. */
export const needsOfFigures = (day: number): readonly Need[] => [
  ...PERS.map((per): Need => ({ fact: 'count', of: 'recipient', days: inPeriod(per, day) })),
  runOfDays(day),
];

/** How many votes a recipient has in total, and in the periods that a day belongs to. */
export const countsOn = (history: History, day: number): Readonly<Record<Per | 'total', number>> => ({
  total: history.count({ of: 'recipient' }),
  day: history.count({ of: 'recipient', days: inPeriod('day', day) }),
  week: history.count({ of: 'recipient', days: inPeriod('week', day) }),
  month: history.count({ of: 'recipient', days: inPeriod('month', day) }),
});

export const prizeName = ({ from, to }: Omit<Prize, 'commands'>): string =>
  from === to ? String(from) : `${from}..${to}`;

/** What is run for a choice, in order; null if the reward no longer has it. */
export function commandsFor(reward: RewardCommands, choice: Choice | null): readonly string[] | null {
  switch (choice?.from) {
    case undefined:
      return withMessages(reward, reward.commands);
    case 'otherwise':
      return reward.otherwise.length === 0 ? null : reward.otherwise;
    case 'prizes':
      return withMessages(reward, reward.prizes.find((prize) => prizeName(prize) === choice.name)?.commands);
    case 'oneOf': {
      const drawn = reward.oneOf.find(({ name }) => name === choice.name);
      return withMessages(reward, drawn && [...reward.commands, ...drawn.commands]);
    }
  }
}

/** null without commands. The same list where there are no messages, because what it asks for is remembered by list. */
function withMessages(
  { messages }: RewardCommands,
  commands: readonly string[] | undefined,
): readonly string[] | null {
  if (commands === undefined) return null;
  return messages.length === 0 ? commands : [...commands, ...messages];
}

/** How likely it is to be drawn, from 0 to 1. */
export const shareOf = (reward: Pick<RewardCommands, 'oneOf'>, { weight }: Alternative): number =>
  weight / reward.oneOf.reduce((sum, each) => sum + each.weight, 0);

const drawnChoice = (reward: RewardCommands, drawn: Alternative): Choice => ({
  from: 'oneOf',
  name: drawn.name,
  share: shareOf(reward, drawn),
});

/**
 * What is run for a threshold, by one draw.
 *
 * @param threshold the total or streak that was reached; null if there is none.
 * @param drawn from 0 (included) to 1 (excluded).
 * @returns undefined if nothing is; null if only `commands` are.
 */
export function chosen(
  reward: RewardCommands,
  threshold: number | null,
  drawn: () => number,
): Choice | null | undefined {
  if (reward.oneOf.length > 0) return drawnChoice(reward, alternativeAt(reward, drawn()));
  const prize =
    threshold === null
      ? undefined
      : reward.prizes.find(({ from, to }) => threshold >= from && threshold <= to);
  if (prize !== undefined) return { from: 'prizes', name: prizeName(prize) };
  const isMessage = reward.prizes.length === 0 && reward.messages.length > 0;
  return reward.commands.length > 0 || isMessage ? null : undefined;
}

function alternativeAt({ oneOf }: RewardCommands, drawn: number): Alternative {
  const at = drawn * oneOf.reduce((sum, { weight }) => sum + weight, 0);
  let below = 0;
  const found = oneOf.find(({ weight }) => {
    below += weight;
    return at < below;
  });
  // The last one, should rounding make the product reach the sum.
  return found ?? (oneOf.at(-1) as Alternative);
}

/** Everything that may be run for a threshold, whatever is drawn. */
export function allChoices(
  reward: RewardCommands,
  threshold: number | null,
  mayLose: boolean,
): readonly (Choice | null)[] {
  const won =
    reward.oneOf.length > 0
      ? reward.oneOf.map((each) => drawnChoice(reward, each))
      : [chosen(reward, threshold, () => 0)].filter((choice) => choice !== undefined);
  const lost: Choice = { from: 'otherwise' };
  return mayLose && reward.otherwise.length > 0 ? [...won, lost] : won;
}

/** What only a vote says. */
export const VOTE_ONLY: readonly Placeholder[] = ['site', 'service', 'votesSite', 'nextVote'];

/** A placeholder that keeps a reward from being given to a player without a vote; null if there is none. */
export function needsVote(reward: Reward): Placeholder | null {
  if (misfitOf(reward, 'player') !== null) return 'userId';
  const templates = templatesOf(reward);
  return VOTE_ONLY.find((wanted) => templates.some((template) => needs(template, wanted))) ?? null;
}

/**
 * The grants of a reward that is given without a vote: no condition and no limit is looked at. What is drawn otherwise is
 * drawn here too. Empty if nothing is to be run, because no prize is for the occasion's threshold.
 */
export function grantsGiven(
  reward: Reward,
  occasion: Occasion,
  source: GrantSource,
): readonly PlannedGrant[] {
  const drawn = () => draw(source.draws, 'oneOf', reward.name, occasion.name);
  const choice = chosen(reward, occasion.threshold, drawn);
  return choice === undefined ? [] : planGrants(reward, { occasion, choice }, source);
}

const OF_PARTIES: readonly Placeholder[] = ['partyVotes', 'partyLeft'];

const without = (words: readonly Placeholder[]) => PLACEHOLDERS.filter((name) => !words.includes(name));

/** What is filled in where the commands of each list are sent. */
export const WORDS = {
  rewards: [...without(OF_PARTIES), 'random'],
  party: [...without(VOTE_ONLY), 'random'],
  announce: OF_PARTIES,
  tops: [...without([...VOTE_ONLY, ...OF_PARTIES]), 'random'],
  remind: ['player', 'sitesLeft', 'voteLinks', 'nextVote'],
} as const;
