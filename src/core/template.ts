import { durationText } from './duration.ts';
import { type Figure, type Filled, filledIn, type RandomRange, withValues } from './placeholders.ts';
import { COMMAND_BYTES_MAX, longestBytes, OCCASION_MAX } from './template-bytes.ts';

/**
 * Command templates. A template becomes a command in two stages. When a grant is made, everything but the player is
 * filled in (`openCommand`). When the command is sent, the player is filled in (`closeCommand`), because commands use
 * the spelling in the game server's list, which is only known then. Faults in a template are found when the config is
 * loaded (`template-fault.ts`).
 */

/** The values for a template, except for the player. A value that is absent stays as written, so that it shows. */
export interface Values {
  /** The entry's label; without one, the cleaned service name. */
  readonly site: string;
  readonly service: string;
  /** Absent for votes that name a player. */
  readonly userId?: string | undefined;
  readonly figures?: Figures | undefined;
  /** From 0 (included) to 1 (excluded). All ranges of one grant use the same draw, so equal ranges show the same number. */
  readonly random?: number | undefined;
  /** When the player may vote on the site again, in ms since the Unix epoch. */
  readonly nextVote?: number | undefined;
  /** The pages on which to vote, without characters that a command would read. */
  readonly links?: readonly string[] | undefined;
}

export type Figures = { readonly [Name in Figure]?: string | number };

const OPEN_PLAYER = '{player}';
const OPEN_UUID = '{uuid}';

/** One line as the config may contain it: text, or parts that are joined by spaces, with objects as compact JSON. */
export type CommandParts = string | readonly (string | object)[];

/** The template's text, without the slash that people paste from chat. */
export function templateText(command: CommandParts): string {
  const parts = typeof command === 'string' ? [command] : command;
  const line = parts.map((part) => (typeof part === 'string' ? part : JSON.stringify(part))).join(' ');
  return line.trim().replace(/^\//, '');
}

/** First stage: fills in everything but `{player}`, `{uuid}` and `{nextVote}`, which is kept as an instant. */
export const openCommand = (template: string, values: Values): string =>
  withValues(template, (filled, written) => {
    if (filled.kind === 'random') return randomText(filled.range, values.random) ?? written;
    switch (filled.name) {
      case 'player':
        return OPEN_PLAYER;
      case 'uuid':
        return OPEN_UUID;
      case 'site':
        return withoutBraces(values.site);
      case 'service':
        return cleanService(values.service);
      case 'userId':
        return values.userId === undefined ? written : cleanService(values.userId);
      case 'voteLinks':
        return values.links === undefined ? written : linksText(template, values.links);
      case 'nextVote':
        return values.nextVote === undefined ? written : `{nextVote ${values.nextVote}}`;
      default:
        return figureText(values.figures?.[filled.name]) ?? written;
    }
  });

const randomText = ({ from, to }: RandomRange, drawn: number | undefined): string | null =>
  drawn === undefined ? null : String(from + Math.floor(drawn * (to - from + 1)));

/** The occasion may contain a service name, which senders choose; several occasions are joined by commas. */
const figureText = (value: string | number | undefined): string | null =>
  value === undefined
    ? null
    : String(value)
        .replaceAll(/[^A-Za-z0-9 ,._:/-]/g, '')
        .slice(0, OCCASION_MAX);

/** As many links as fit into what is left of the line, each whole. */
function linksText(template: string, links: readonly string[]): string {
  const times = filledIn(template).filter((filled) => isLinks(filled)).length;
  const left = Math.floor((COMMAND_BYTES_MAX - longestBytes(template)) / times);
  let text = '';
  for (const link of links) {
    const longer = text === '' ? link : `${text} ${link}`;
    if (Buffer.byteLength(longer) > left) break;
    text = longer;
  }
  return text;
}

const isLinks = (filled: Filled): boolean => filled.kind === 'word' && filled.name === 'voteLinks';

/** Senders choose the service name, so characters that could end a word, a string, an object or a line are removed. */
export const cleanService = (name: string): string => name.replaceAll(/[^A-Za-z0-9 ._:/-]/g, '').slice(0, 64);

/** The config already refuses labels with such characters; this covers labels from anywhere else. */
const withoutBraces = (label: string): string => label.replaceAll(/[{}"\\\p{C}]/gu, '');

/** Brigadier reads words of these characters without quotes. Any other name must be quoted if it is a word. */
const NEEDS_NO_QUOTES = /^[0-9A-Za-z_.+-]+$/;

/** What could end a word, a string or the line. */
const NEVER_IN_A_NAME = /["'\\\p{C}\u2028\u2029]/u;

/** [RCON-14] A name as a word of a command; null if it cannot be quoted, which no whitelisted name is. */
export function nameAsWord(name: string): string | null {
  if (NEEDS_NO_QUOTES.test(name)) return name;
  return name === '' || NEVER_IN_A_NAME.test(name) ? null : `"${name}"`;
}

/** What is known when a command is sent. What is null stays as written. */
export interface Sending {
  /** In the spelling of the game server's list; null for a user ID. It also stays as written if it cannot be a name. */
  readonly player: string | null;
  /** As the game server's list shows it. */
  readonly uuid: string | null;
  readonly now: number | null;
}

/** Second stage: fills in what only the sending knows. */
export const closeCommand = (open: string, { player, uuid, now }: Sending): string =>
  withNextVote(withUuid(player === null ? open : withPlayer(open, player), uuid), now);

const NEXT_VOTE = /\{nextVote (\d{1,15})\}/g;

/** Whether a command that is filled in but for the player shows when they may vote again. */
export const showsNextVote = (open: string): boolean => open.includes('{nextVote ');

/** The same command with a later instant, because the player has voted again since it was filled in. */
export const withLaterVote = (open: string, at: number): string =>
  open.replaceAll(NEXT_VOTE, (_, known: string) => `{nextVote ${Math.max(Number(known), at)}}`);

/** How long until the player may vote again: `3 h 20 min`, or `now`. */
const withNextVote = (open: string, now: number | null): string =>
  open.replaceAll(NEXT_VOTE, (_, at: string) => {
    if (now === null) return '{nextVote}';
    return Number(at) <= now ? 'now' : durationText(Number(at) - now);
  });

const withUuid = (open: string, uuid: string | null): string =>
  uuid === null ? open : open.replaceAll(OPEN_UUID, () => uuid);

function withPlayer(open: string, player: string): string {
  const word = nameAsWord(player);
  if (word === null) return open;
  if (word === player) return open.replaceAll(OPEN_PLAYER, () => player);
  const words = playersAsWords(open);
  return open.replaceAll(OPEN_PLAYER, (_, at: number) => (words.has(at) ? word : player));
}

const MARKS = /\{player\}|\\.|["'[\]{}]/g;

/** Where `{player}` is a whole word: not in a string, an object, a selector, a larger word or free text. */
function playersAsWords(open: string): Set<number> {
  const words = new Set<number>();
  const end = freeTextFrom(open);
  let nesting: Nesting = { depth: 0, quote: '' };
  for (const { 0: mark, index: at } of open.matchAll(MARKS)) {
    if (mark !== OPEN_PLAYER) nesting = nestingAfter(nesting, mark, startsWord(open, at));
    else if (at < end && isOutermost(nesting) && isWholeWord(open, at)) words.add(at);
  }
  return words;
}

interface Nesting {
  /** Open braces and brackets. */
  readonly depth: number;
  /** The quote that ends the string; empty outside of strings. */
  readonly quote: string;
}

const isOutermost = ({ depth, quote }: Nesting): boolean => depth === 0 && quote === '';

function nestingAfter({ depth, quote }: Nesting, mark: string, isAtWord: boolean): Nesting {
  if (quote !== '') return { depth, quote: mark === quote ? '' : quote };
  switch (mark) {
    case '"':
    case "'":
      // Inside a word and outside of objects, this character is an apostrophe.
      return { depth, quote: depth > 0 || isAtWord ? mark : '' };
    case '{':
    case '[':
      return { depth: depth + 1, quote };
    case '}':
    case ']':
      return { depth: Math.max(0, depth - 1), quote };
    default:
      return { depth, quote };
  }
}

const startsWord = (text: string, at: number): boolean => at === 0 || text[at - 1] === ' ';

const isWholeWord = (text: string, at: number): boolean =>
  startsWord(text, at) && [' ', undefined].includes(text[at + OPEN_PLAYER.length]);

/** Commands that end in free text, and how many words come before it. */
const WORDS_BEFORE_FREE_TEXT: ReadonlyMap<string, number> = new Map([
  ...['say', 'me', 'teammsg', 'tm', 'broadcast', 'bc', 'alert'].map((name) => [name, 0] as const),
  ...['msg', 'tell', 'w', 'kick', 'ban', 'ban-ip'].map((name) => [name, 1] as const),
]);

/** Where a command's free text begins, or Infinity. Looks inside `execute … run` and `return run`. */
function freeTextFrom(open: string, start = 0): number {
  const name = /^\S*/.exec(open.slice(start))?.[0].replace(/^[a-z0-9_.-]+:/, '') ?? '';
  if (name === 'execute' || name === 'return') {
    const run = open.indexOf(' run ', start);
    return run === -1 ? Number.POSITIVE_INFINITY : freeTextFrom(open, run + ' run '.length);
  }
  const words = WORDS_BEFORE_FREE_TEXT.get(name);
  if (words === undefined) return Number.POSITIVE_INFINITY;
  const before = new RegExp(`^(?:\\S+\\s+){${words + 1}}`).exec(open.slice(start));
  return before === null ? Number.POSITIVE_INFINITY : start + before[0].length;
}
