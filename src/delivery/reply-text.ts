/** The text of a reply without what a game server or plugin puts around it. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what a terminal's colours begin with
const ANSI_COLOUR = /\u001b\[[\d;]*[A-Za-z]/g;
const MINECRAFT_COLOUR = /§./gu;
/** Colour codes as plugins print them if they forget to convert them. */
const AMPERSAND_COLOUR = /&(?:#[0-9a-f]{6}|[0-9a-fk-or])/gi;

/** Text without colours and surrounding space. Names may begin with `&`, so ampersand codes stay. */
export const plain = (reply: string): string =>
  reply.replaceAll(ANSI_COLOUR, '').replaceAll(MINECRAFT_COLOUR, '').trim();

/** Text without any colours: for judging replies, never for names. */
export const bare = (reply: string): string => plain(reply).replaceAll(AMPERSAND_COLOUR, '').trim();

const PREFIXES: readonly RegExp[] = [
  // Not the name of a speaker: `[Server] Unknown command` is a chat message.
  /^\[(?!(?:server|rcon|console|@)\])[^\]\n]{1,40}\]:?\s*(?:[»›➜>|-]+\s*)?/i,
  /^[\p{L}\p{N}][\p{L}\p{N} ._'-]{0,30}?\s*(?:[»›➜|]|>>?)\s*/u,
  /^[\p{L}\p{N}][\p{L}\p{N}_-]{0,23}:\s+/u,
];
const PREFIXES_MAX = 3;

/** The text itself, and the text after each prefix (`[Crates]`, `Crates »`, `Error:`) that can be removed from it. */
export function withoutPrefixes(text: string): readonly string[] {
  const all = [text];
  for (let last = text; all.length <= PREFIXES_MAX; all.push(last)) {
    const prefix = PREFIXES.find((pattern) => pattern.test(last));
    if (prefix === undefined) break;
    last = last.replace(prefix, '');
  }
  return all;
}

/** Whether a text is a part of the command, ignoring case: then the reply only repeats the command. */
export const isEcho = (text: string, command: string): boolean =>
  text !== '' && comparable(command).includes(comparable(text));

const comparable = (text: string): string => bare(text).replaceAll(/\s+/g, ' ').toLowerCase();

export const linesOf = (reply: string): readonly string[] =>
  bare(reply)
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');

export const escapeRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
