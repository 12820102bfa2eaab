import { printableJson } from '../core/printable.ts';
import { escapeRegExp, linesOf, withoutPrefixes } from './reply-text.ts';

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
export function doubtAbout(reply: string, command: string): string | null {
  const line = linesOf(reply)
    .slice(0, LINES_READ_MAX)
    .find((candidate) => looksLikeFailure(candidate, command.toLowerCase()));
  return line === undefined ? null : entryFor(withoutPrefixes(line).at(-1) || line, command);
}

/** What the operator can do about such a reply. They have to do it once for each kind of reply. */
export const doubtTodo = (server: string, entry: string): string =>
  `if it is a failure, add ${printableJson(entry)} to gameServers.${server}.refusedReplies; if not, to deliveredReplies there`;

function looksLikeFailure(line: string, command: string): boolean {
  if (withoutPrefixes(line).some((text) => SUCCESS.test(text))) return false;
  return [...line.matchAll(FAILURE)].some(([word]) => !command.includes(word.toLowerCase()));
}

/** The line as a pattern. Words of the command and numbers differ between grants, so they become wildcards. */
function entryFor(line: string, command: string): string {
  const words = new Set(command.split(/\s+/).filter((word) => word.length > 2));
  return shortened(line)
    .split(/([A-Za-z0-9_.-]+)/)
    .map((part) => (words.has(part) ? '\\S+' : escapeRegExp(part).replaceAll(/\d+/g, '\\d+')))
    .join('');
}

const shortened = (line: string): string =>
  line.length <= ENTRY_CHARACTERS_MAX ? line : line.slice(0, ENTRY_CHARACTERS_MAX).replace(/\s+\S*$/, '');
