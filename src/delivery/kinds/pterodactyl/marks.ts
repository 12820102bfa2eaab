import type { Random } from '../../../core/random.ts';
import { plain } from '../../reply-text.ts';

const MARK_BYTES = 8;

/** A mark in the console of a server: a harmless question whose answer contains it. Nobody else can know it. */
export interface Mark {
  readonly name: string;
  readonly command: string;
}

/** `data get storage` shows the storage that it names, also if it is empty, and stores nothing (Java Edition 1.15 and later). */
export function newMark(random: Random): Mark {
  const name = `teller:mark_${Buffer.from(random.bytes(MARK_BYTES)).toString('hex')}`;
  return { name, command: `data get storage ${name}` };
}

/** What the console showed between two marks; null: not both were seen. Lines that repeat what was typed are left out. */
export function between(
  lines: readonly string[],
  { begin, end, typed }: { readonly begin: Mark; readonly end: Mark; readonly typed: string },
): readonly string[] | null {
  const from = lines.findLastIndex((line) => line.includes(begin.name));
  const to = lines.findIndex((line) => line.includes(end.name));
  if (from === -1 || to <= from) return null;
  return lines
    .slice(from + 1, to)
    .map(messageIn)
    .filter((line) => line !== '' && line.replace(/^>\s*/, '') !== typed);
}

/** What a server logs before each message: `[12:00:00] [Server thread/INFO]: ` or `[12:00:00 INFO]: `. */
const LOG_PREFIX = /^\s*(?:\[[^\]]*\]\s*)+: ?/;

/** A line of a console without the time and the level. A message keeps all that is its own, such as who said it. */
const messageIn = (line: string): string => plain(line).replace(LOG_PREFIX, '');
