/**
 * Command templates. A template becomes a command in two stages. When a grant is made, everything but the player is
 * filled in (`openCommand`). When the command is sent, the player is filled in (`closeCommand`), because commands use
 * the spelling in the game server's list, which is only known then. Faults in a template are found when the config is
 * loaded (`template-fault.ts`).
 */
export const PLACEHOLDERS = ['player', 'uuid', 'site', 'service', 'userId'] as const;

export type Placeholder = (typeof PLACEHOLDERS)[number];

/** The values for a template, except for the player. */
export interface Values {
  /** The entry's label; without one, the cleaned service name. */
  readonly site: string;
  readonly service: string;
  /** Absent for votes that name a player: `{userId}` then stays as written, so that the mistake shows. */
  readonly userId?: string;
}

const WRITTEN = /\{(player|uuid|site|service|userId)\}|%(player|uuid|site|service|userId)%/g;
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

const replacePlaceholders = (
  template: string,
  value: (name: Placeholder, written: string) => string,
): string =>
  template.replaceAll(WRITTEN, (written, braced: Placeholder | undefined, percent: Placeholder) =>
    value(braced ?? percent, written),
  );

/** Whether a template asks for this value. */
export const needs = (template: string, wanted: Placeholder): boolean =>
  [...template.matchAll(WRITTEN)].some(([, braced, percent]) => (braced ?? percent) === wanted);

/** First stage: fills in everything but `{player}` and `{uuid}`. */
export function openCommand(template: string, values: Values): string {
  return replacePlaceholders(template, (name, written) => {
    switch (name) {
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
    }
  });
}

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

/**
 * Second stage: fills in the player, in the spelling of the game server's list. If that spelling cannot be a name,
 * `{player}` stays as written, so that the mistake shows.
 *
 * @param uuid as the game server's list shows it; null if it is not known, and then `{uuid}` stays as written.
 */
export const closeCommand = (open: string, player: string, uuid: string | null = null): string =>
  withUuid(withPlayer(open, player), uuid);

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

/** The greatest length of each placeholder's value, in bytes of UTF-8. */
export type ValueLimits = Readonly<Record<Placeholder, number>>;

/** The longest line that a template can become, in bytes. */
export const longestBytes = (template: string, limits: ValueLimits): number =>
  Buffer.byteLength(replacePlaceholders(template, (name) => 'x'.repeat(limits[name])));
