/** What a reward that is granted owes: which of its commands, with what filled in, and on which game servers. */
import type { AnnouncementTerms } from '../core/announcement.ts';
import type { Choice } from '../core/choice.ts';
import type { FilledIn, PlannedGrant } from '../core/decide.ts';
import type { Occasion } from '../core/occasion.ts';
import { type Days, daysOf, PERS, type Per, periodOf } from '../core/period.ts';
import {
  FIGURE_PLACEHOLDERS,
  type Figure,
  filledIn,
  needs,
  PLACEHOLDERS,
  type Placeholder,
} from '../core/placeholders.ts';
import { poolOf } from '../core/pool.ts';
import { NO_SERVICE_NAME } from '../core/service-name.ts';
import { cleanService, type Figures, openCommand, type Values } from '../core/template.ts';
import type { JudgedVote, VoteKind } from './condition.ts';
import type { CountScope, History, Need } from './history.ts';
import {
  type Alternative,
  type Draws,
  draw,
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
 * on the one that the player is on. Every vote makes these objects, so they are written field by field: copying others into
 * them took 7 % of the time of recording a vote.
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
  const commands = openCommands(templates, vote, userId, filled, rules);
  const announcement = announcementOf(reward, choice, commands.length);
  const { servers, name, when, safeToRunTwice, terms } = reward;
  const grantOn = (server: string, practice: boolean): PlannedGrant => ({
    server,
    practice,
    reward: name,
    occasion: occasion.name,
    when,
    safeToRunTwice,
    terms,
    announcement,
    choice,
    filled,
    commands,
  });
  const isPractice = (server: string): boolean => rules.practiceServers.has(server);
  // A pool never mixes practice servers with real ones (rule 9).
  if (reward.whereOnline) return [grantOn(poolOf(servers), servers.some(isPractice))];
  return servers.map((server) => grantOn(server, isPractice(server)));
}

/** What templates ask for. */
interface Asked {
  readonly isAny: boolean;
  readonly figures: readonly Figure[];
  readonly isRandom: boolean;
  readonly isNextVote: boolean;
}

const known = new WeakMap<readonly string[], Asked>();

/** The same list is searched once, because every grant needs it. */
function askedBy(templates: readonly string[]): Asked {
  const before = known.get(templates);
  if (before !== undefined) return before;
  const all = templates.flatMap(filledIn);
  const isWord = (name: Placeholder): boolean =>
    all.some((each) => each.kind === 'word' && each.name === name);
  const asked = {
    isAny: all.length > 0,
    figures: FIGURE_PLACEHOLDERS.filter(isWord),
    isRandom: all.some(({ kind }) => kind === 'random'),
    isNextVote: isWord('nextVote'),
  };
  known.set(templates, asked);
  return asked;
}

/** Only what the templates ask for. */
function filledFor(
  reward: Reward,
  templates: readonly string[],
  occasion: Occasion,
  source: GrantSource,
): FilledIn {
  const { vote, draws } = source;
  const asked = askedBy(templates);
  const figures: Record<string, string | number> = {};
  for (const name of asked.figures) {
    const value = figureOf[name].value(source, occasion);
    if (value !== undefined) figures[name] = value;
  }
  const filled: { -readonly [Name in keyof FilledIn]: FilledIn[Name] } = {};
  if (Object.keys(figures).length > 0) filled.figures = figures;
  // Where nothing is drawn, the range itself says most.
  if (asked.isRandom && draws.kind !== 'won')
    filled.random = draw(draws, 'random', reward.name, occasion.name);
  if (asked.isNextVote) filled.nextVote = vote.nextAt;
  return filled;
}

/** Commands for a vote, with `{player}` not replaced yet. @param userId null for a recipient with a player name. */
export function openCommands(
  templates: readonly string[],
  { service, site }: Pick<JudgedVote, 'service' | 'site'>,
  userId: string | null,
  { figures, random, nextVote }: FilledIn,
  { labels, links }: Pick<Rules, 'labels' | 'links'>,
): readonly string[] {
  if (!askedBy(templates).isAny) return templates;
  const values: Values = {
    site: labels.get(site) ?? (service === '' ? NO_SERVICE_NAME : cleanService(service)),
    service,
    userId: userId ?? undefined,
    figures,
    random,
    nextVote,
    links: links[userId === null ? 'player' : 'user'],
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

const ALL_VOTES: CountScope = { of: 'recipient' };

const inPeriod = (per: Per, day: number): CountScope => ({
  of: 'recipient',
  days: daysOf(per, periodOf(per, day)),
});

const countNeed = (scope: CountScope): Need => ({ ...scope, fact: 'count' });

const runOfDays = (day: number): Need => ({ fact: 'runs', withVotes: false, day, gap: 0, per: 'day' });

/** A count of the recipient's votes. */
const counted = (scopeOf: (vote: Pick<VoteKind, 'day' | 'service'>) => CountScope): FigureOf => ({
  needs: (about) => [countNeed(scopeOf(about))],
  value: ({ history, vote }) => history.count(scopeOf(vote)),
});

/** The days in a row on which a recipient voted up to a day or the day before, which is not over then; null: none. */
export const runUpTo = (history: History, day: number): Days | null =>
  history.votedRuns({ day, gap: 0, per: 'day' }).find(({ from, to }) => from <= day && to >= day - 1) ?? null;

const figureOf: Readonly<Record<Figure, FigureOf>> = {
  votes: counted(() => ALL_VOTES),
  votesDay: counted(({ day }) => inPeriod('day', day)),
  votesWeek: counted(({ day }) => inPeriod('week', day)),
  votesMonth: counted(({ day }) => inPeriod('month', day)),
  votesSite: counted(({ service }) => ({ of: 'recipient', services: [service] })),
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

/** The facts that these templates need for votes like this one. */
export const needsOfTemplates = (templates: readonly string[], about: VoteKind): readonly Need[] =>
  askedBy(templates).figures.flatMap((name) => figureOf[name].needs?.(about) ?? []);

/** What `countsOn` and `runUpTo` need. */
export const needsOfFigures = (day: number): readonly Need[] => [
  ...PERS.map((per) => countNeed(inPeriod(per, day))),
  runOfDays(day),
];

/** How many votes a recipient has in total, and in the periods that a day belongs to. */
export const countsOn = (history: History, day: number): Readonly<Record<Per | 'total', number>> => ({
  total: history.count(ALL_VOTES),
  day: history.count(inPeriod('day', day)),
  week: history.count(inPeriod('week', day)),
  month: history.count(inPeriod('month', day)),
});

export const prizeName = ({ from, to }: Omit<Prize, 'commands'>): string =>
  from === to ? String(from) : `${from}..${to}`;

/** What is run for a choice, in order; null if the reward no longer has it. */
export function commandsFor(reward: RewardCommands, choice: Choice | null): readonly string[] | null {
  const { commands, prizes, oneOf, otherwise, messages } = reward;
  if (choice?.from === 'otherwise') return otherwise.length === 0 ? null : otherwise;
  let chosen: readonly string[] | undefined = commands;
  if (choice?.from === 'prizes') chosen = prizes.find((prize) => prizeName(prize) === choice.name)?.commands;
  if (choice?.from === 'oneOf') {
    const drawn = oneOf.find(({ name }) => name === choice.name);
    chosen = drawn && [...commands, ...drawn.commands];
  }
  if (chosen === undefined) return null;
  // The same list where there are no messages, because what it asks for is remembered by list.
  return messages.length === 0 ? chosen : [...chosen, ...messages];
}

/** How likely it is to be drawn, from 0 to 1. */
export const shareOf = (reward: Pick<RewardCommands, 'oneOf'>, { weight }: Alternative): number =>
  weight / weightOf(reward);

const weightOf = ({ oneOf }: Pick<RewardCommands, 'oneOf'>): number =>
  oneOf.reduce((sum, { weight }) => sum + weight, 0);

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
  const at = drawn * weightOf({ oneOf });
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
