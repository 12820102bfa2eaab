/**
 * What a complete reply says about its command (rule 5): the operator's patterns are asked first, then the replies that are known
 * (`known-replies.ts`). A reply that is not known counts as delivered; if it looks like a failure, the operator is told so.
 */
import type { Outcome } from '../core/outcome.ts';
import { needs } from '../core/placeholders.ts';
import { printableJson } from '../core/printable.ts';
import { type ReplyMeaning, replySources } from './known-replies.ts';

/** What the operator says about replies. */
export interface ReplyPatterns {
  readonly refusedReplies: readonly RegExp[];
  readonly offlineReplies: readonly RegExp[];
  /** Replies that look like a failure but are not. */
  readonly deliveredReplies: readonly RegExp[];
}

export interface Judgement {
  /** A reply that looks like a failure and is not known is delivered with a doubt. */
  readonly outcome: Extract<Outcome, { readonly reply: string | null }>;
  /** The dispatcher itself did not know the command, so it certainly has not run. */
  readonly isUnknownCommand: boolean;
}

/**
 * The operator's patterns come first and may match anywhere. Offline comes before refused, because such a grant is
 * paid without the operator once the player is online.
 *
 * @param template the command with its player not filled in; without it, the command counts as naming the player.
 */
export function judgeReply(reply: string, own: ReplyPatterns, command: string, template?: string): Judgement {
  const texts = [plain(reply), bare(reply)];
  const isIn = (patterns: readonly RegExp[]): boolean =>
    patterns.some((pattern) => texts.some((text) => text.search(pattern) >= 0));
  const judged = (kind: 'delivered' | 'refused' | 'player-offline', isUnknownCommand = false): Judgement => ({
    outcome: { kind, reply },
    isUnknownCommand,
  });
  // A command for all players who are online has nothing left to do if there are none: its grant need not wait.
  const namesPlayer = template === undefined || needs(template, 'player') || needs(template, 'uuid');
  const absent = !namesPlayer && SELECTOR.test(command) ? 'delivered' : 'player-offline';
  if (isIn(own.deliveredReplies)) return judged('delivered');
  if (isIn(own.offlineReplies)) return judged(absent);
  if (isIn(own.refusedReplies)) return judged('refused');
  const meaning = knownMeaning(reply, command);
  switch (meaning) {
    case 'nobody-matched':
    case 'player-offline':
      return judged(absent);
    case 'unknown-command':
    case 'refused':
      return judged('refused', meaning === 'unknown-command');
    case null: {
      const doubt = doubtAbout(reply, command);
      if (doubt === null) return judged('delivered');
      return { outcome: { kind: 'delivered', reply, doubt }, isUnknownCommand: false };
    }
  }
}

const SELECTOR = /(?:^|[\s=])@[aenprs](?:\[|\s|$)/;

/** Whether a reply is known to say that a player is offline or that a selector matched no player. */
export function saysAbsent(reply: string, command: string): boolean {
  const meaning = knownMeaning(reply, command);
  return meaning === 'nobody-matched' || meaning === 'player-offline';
}

const LOST_ITEMS = /^Not enough space, [\d.,]+ .+ was lost[.!]?$/i;
/** In every language, vanilla marks the place of an error in a command with this. */
const POINTER = /<--\[HERE\]$/;
/** A reply can be a megabyte long, but the known replies are short. */
const JUDGED_CHARACTERS_MAX = 2_000;

/** What a reply is known to mean; null if it is not known, or only repeats the command. */
function knownMeaning(reply: string, command: string): ReplyMeaning | null {
  const [whole = '', ...unprefixed] = withoutPrefixes(bare(reply));
  const own = meaningOf(whole);
  if (own !== null) return own;
  for (const text of unprefixed) {
    const meaning = isEcho(text, command) ? null : meaningOf(text);
    // A dispatcher's reply has no prefix. With a prefix, the command ran and its plugin did not understand the rest.
    if (meaning !== null) return meaning === 'unknown-command' ? 'refused' : meaning;
  }
  // EssentialsX prints this after the line that lists what was given.
  return linesOf(reply).some((line) => LOST_ITEMS.test(line)) ? 'refused' : null;
}

function meaningOf(text: string): ReplyMeaning | null {
  const judgedText = text.slice(0, JUDGED_CHARACTERS_MAX);
  const match = known.find(({ pattern }) => pattern.test(judgedText));
  return match?.means ?? (POINTER.test(text) ? 'refused' : null);
}

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '{player}': '[\'"“]?\\S{1,40}?[\'"”]?',
  '{number}': '-?[\\d.,]+',
  '{text}': '.+?',
};

/** Matches the whole first line of a reply, in any case. Vanilla's own replies go on with the place in the command. */
function patternOf(reply: string): RegExp {
  const parts = reply.replace(/[.!]$/, '').split(/(\{(?:player|number|text)\})/);
  const source = parts.map((part) => PLACEHOLDERS[part] ?? escapeRegExp(part)).join('');
  return new RegExp(`^${source}[.!]?(?:\\s*$|\\s*\\n|.*<--\\[HERE\\]$)`, 'i');
}

const MEANINGS: readonly ReplyMeaning[] = ['nobody-matched', 'player-offline', 'unknown-command', 'refused'];

const known = MEANINGS.flatMap((means) =>
  replySources.flatMap(({ replies }) =>
    (replies[means] ?? []).map((reply) => ({ means, pattern: patternOf(reply) })),
  ),
);

/** Words that failures contain. They prove nothing: `Set difficulty to Impossible: error-free` is a success. */
const FAILURE =
  /\b(?:errors?|exception|fail(?:s|ed|ure)?|invalid|unknown|unable|denied|illegal|malformed|incorrect|missing|offline|disabled|usage|can ?not|can't|could not|couldn't|does not|doesn't|do not|don't|is not|isn't|not (?:found|online|exist|valid|enough|allowed|permitted|recogni[sz]ed|supported)|no (?:such|permission|player|crate|kit|item|account|group|space|room)|is full|was lost|must be|too (?:many|few|big|large|small|long|high|low))\b/gi;

/** How a success begins, or says that there was nothing left to do. */
const SUCCESS =
  /^(?:gave|given?|giving|set|added|adding|applied|executed|summoned|played|granted|sent|success\w*|you (?:gave|have given|have taken|whisper))\b|\balready\b|^nothing changed\b/i;

const LINES_READ_MAX = 8;
const ENTRY_CHARACTERS_MAX = 100;

/**
 * The entry for `refusedReplies` that would refuse a reply which looks like a failure; null for any other reply. Words
 * of the command itself are ignored: a reply that repeats a chat message may contain any word.
 */
function doubtAbout(reply: string, command: string): string | null {
  const asTyped = command.toLowerCase();
  const line = linesOf(reply)
    .slice(0, LINES_READ_MAX)
    .find(
      (each) =>
        !withoutPrefixes(each).some((text) => SUCCESS.test(text)) &&
        [...each.matchAll(FAILURE)].some(([word]) => !asTyped.includes(word.toLowerCase())),
    );
  return line === undefined ? null : entryFor(withoutPrefixes(line).at(-1) || line, command);
}

/** What the operator can do about such a reply. They have to do it once for each kind of reply. */
export const doubtTodo = (server: string, entry: string): string =>
  `if it is a failure, add ${printableJson(entry)} to gameServers.${server}.refusedReplies; if not, to deliveredReplies there`;

/** The line as a pattern. Words of the command and numbers differ between grants, so they become wildcards. */
function entryFor(line: string, command: string): string {
  const words = new Set(command.split(/\s+/).filter((word) => word.length > 2));
  const isShort = line.length <= ENTRY_CHARACTERS_MAX;
  return (isShort ? line : line.slice(0, ENTRY_CHARACTERS_MAX).replace(/\s+\S*$/, ''))
    .split(/([A-Za-z0-9_.-]+)/)
    .map((part) => (words.has(part) ? '\\S+' : escapeRegExp(part).replaceAll(/\d+/g, '\\d+')))
    .join('');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what a terminal's colours begin with
const ANSI_COLOUR = /\u001b\[[\d;]*[A-Za-z]/g;
const MINECRAFT_COLOUR = /§./gu;
/** Colour codes as plugins print them if they forget to convert them. */
const AMPERSAND_COLOUR = /&(?:#[0-9a-f]{6}|[0-9a-fk-or])/gi;

/** Text without colours and surrounding space. Names may begin with `&`, so ampersand codes stay. */
export const plain = (reply: string): string =>
  reply.replaceAll(ANSI_COLOUR, '').replaceAll(MINECRAFT_COLOUR, '').trim();

/** Text without any colours: for judging replies, never for names. */
const bare = (reply: string): string => plain(reply).replaceAll(AMPERSAND_COLOUR, '').trim();

const linesOf = (reply: string): readonly string[] =>
  bare(reply)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

const PREFIXES: readonly RegExp[] = [
  // Not the name of a speaker: `[Server] Unknown command` is a chat message.
  /^\[(?!(?:server|rcon|console|@)\])[^\]\n]{1,40}\]:?\s*(?:[»›➜>|-]+\s*)?/i,
  /^[\p{L}\p{N}][\p{L}\p{N} ._'-]{0,30}?\s*(?:[»›➜|]|>>?)\s*/u,
  /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,23}:\s+/u,
];
const PREFIXES_MAX = 3;

/** The text itself, and the text after each prefix (`[Crates]`, `Crates »`, `Error:`) that can be removed from it. */
function withoutPrefixes(text: string): readonly string[] {
  const all = [text];
  for (let last = text; all.length <= PREFIXES_MAX; all.push(last)) {
    const prefix = PREFIXES.find((pattern) => pattern.test(last));
    if (prefix === undefined) break;
    last = last.replace(prefix, '');
  }
  return all;
}

/** Whether a text is a part of the command, ignoring case: then the reply only repeats the command. */
const isEcho = (text: string, command: string): boolean =>
  text !== '' && comparable(command).includes(comparable(text));

const comparable = (text: string): string => bare(text).replaceAll(/\s+/g, ' ').toLowerCase();

function escapeRegExp(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}
