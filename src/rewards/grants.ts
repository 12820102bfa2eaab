import type { AnnouncementTerms } from '../core/announcement.ts';
import type { Choice } from '../core/choice.ts';
import type { FilledIn, PlannedGrant } from '../core/decide.ts';
import type { Occasion } from '../core/occasion.ts';
import { filledInAny } from '../core/placeholders.ts';
import { poolOf } from '../core/pool.ts';
import { NO_SERVICE_NAME } from '../core/service-name.ts';
import { cleanService, type Figures, openCommand } from '../core/template.ts';
import { commandsFor } from './choices.ts';
import type { JudgedVote } from './condition.ts';
import { type Draws, draw } from './draws.ts';
import { figuresFor } from './figures.ts';
import type { History } from './history.ts';
import type { Reward, Rules } from './reward.ts';

/** What a reward is granted for, and which of its commands. */
export interface Granted {
  readonly occasion: Occasion;
  readonly choice: Choice | null;
}

/** What the commands of a grant are filled in from. */
export interface GrantSource {
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
  const { labels, links } = rules;
  const known = { ...vote, userId, ...filled, links: links[vote.recipient.kind] };
  const commands = openCommands(templates, known, labels);
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
  { vote, history, draws, rules, shared }: GrantSource,
): FilledIn {
  const listed = rules.listed[vote.recipient.kind];
  const asked = filledInAny(templates);
  const source = { vote, history, listed, occasion, ...(shared === undefined ? {} : { shared }) };
  const figures = figuresFor(templates, source);
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
export interface VoteInCommands extends FilledIn {
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
