import type { CannotTellCode } from '../../../core/game-server-codes.ts';
import { type ShownPlayer, type ShownPlayers, shownPlayers } from '../../../core/shown-players.ts';
import { plain } from '../../reply-text.ts';

export type PlayerList =
  | ({ readonly kind: 'known' } & ShownPlayers)
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellCode };

/** [RCON-13] The part of a list that announces the number of players. Any text may come before it. */
const headers: readonly RegExp[] = [
  /There are (\d+) of a max(?: of)? \d+ players online:/i,
  /There are (\d+)\/\d+ players online:/i,
  /Players \((\d+)\):/i,
];

/** How `list uuids` shows a player: with the plain name, without a team's prefix and suffix. */
const NAME_WITH_UUID = /^(\S+) \(([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\)$/i;

/** [RCON-13] The names, if the list has as many as it announces; otherwise why it cannot be relied on. */
export function readPlayerList(reply: string): PlayerList {
  const text = plain(reply);
  const header = headers.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (header === undefined) return { kind: 'cannot-tell', reason: 'list-not-understood' };
  const announced = Number(header[1]);
  const entries = entriesIn(text.slice(header.index + header[0].length), announced);
  const shown = entries.length === announced ? shownPlayers(entries.map(playerIn)) : null;
  return shown === null
    ? { kind: 'cannot-tell', reason: 'list-does-not-add-up' }
    : { kind: 'known', ...shown };
}

/** Whether the list is certainly complete: it shows each player with a whole UUID. */
export function isWholeList(reply: string): boolean {
  if (!reply.trimEnd().endsWith(')')) return false;
  const list = readPlayerList(reply);
  return list.kind === 'known' && list.uuids !== undefined;
}

function playerIn(entry: string): ShownPlayer {
  const [, name = entry, uuid] = NAME_WITH_UUID.exec(entry) ?? [];
  return { name, uuid: uuid?.toLowerCase() ?? null };
}

/**
 * The rest of the header's line. If that is empty and players are announced, the next line. Later lines are ignored.
 */
function entriesIn(rest: string, announced: number): string[] {
  const [first = '', second = ''] = rest.split(/\r?\n/);
  const line = first.trim() === '' && announced > 0 ? second : first;
  return line
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
