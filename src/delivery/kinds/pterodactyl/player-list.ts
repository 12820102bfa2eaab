import type { Presence } from '../../game-server.ts';
import { readPlayerList } from '../rcon/player-list.ts';

/** [RCON-13] Where the answer to `list` begins. What a player says in the chat begins with who says it. */
const HEADER = /^There are \d+ (?:of a max(?: of)? \d+ )?players online:/i;

/** Who is online by what a console showed between two marks; null: no answer is among it. */
export function presenceIn(lines: readonly string[]): Presence | null {
  const answers = lines.filter((line) => HEADER.test(line));
  const [answer] = answers;
  if (answer === undefined) return null;
  if (answers.length > 1) return { kind: 'cannot-tell', reason: 'pterodactyl.list-twice' };
  const list = readPlayerList(answer);
  return list.kind === 'cannot-tell' ? list : { ...list };
}
