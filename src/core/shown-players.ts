import type { CannotTellCode } from './game-server-codes.ts';
import { PLAYER_NAME_MAX, playerKey } from './player-name.ts';

/** A player as a game server shows them. The name is untrusted text. */
export interface ShownPlayer {
  readonly name: string;
  /** In lower case with hyphens; null if the game server shows none. */
  readonly uuid: string | null;
}

/** All players of a list. */
export interface ShownPlayers {
  /** In the spelling that the game server shows. */
  readonly names: readonly string[];
  /** By `playerKey` of the name; absent unless each player has one. */
  readonly uuids?: ReadonlyMap<string, string>;
}

/**
 * A name that rule 8 can allow, with any prefix of a Bedrock player. A letter in a prefix could pass for one of the name, and
 * what ends a name in a list hides who comes after it.
 */
const SHOWN_NAME = /^[^@"'\\/#;,:()[\]<>\s\p{C}\p{L}\p{N}\p{M}_]{0,3}[A-Za-z0-9_]+$/u;

/** Whether what a game server shows can be the name of a player. */
const isShownName = (text: string): boolean => text.length <= PLAYER_NAME_MAX && SHOWN_NAME.test(text);

/**
 * Reads a list of players, however it came. Whoever is on it is paid, and is who their UUID says, so a list that one player
 * could use to stand for another is not used.
 *
 * @returns null: a name cannot be that of a player, two names are one but for upper and lower case, or two players have one UUID.
 */
export function shownPlayers(players: readonly ShownPlayer[]): ShownPlayers | null {
  const names = players.map(({ name }) => name);
  const pairs = players.flatMap(({ name, uuid }) =>
    uuid === null ? [] : [[playerKey(name), uuid] as const],
  );
  const isClear =
    names.every(isShownName) &&
    new Set(names.map(playerKey)).size === names.length &&
    new Set(pairs.map(([, uuid]) => uuid)).size === pairs.length;
  if (!isClear) return null;
  const hasAll = pairs.length > 0 && pairs.length === names.length;
  return hasAll ? { names, uuids: new Map(pairs) } : { names };
}

/** What the answer to `list` says. */
type PlayerList =
  | ({ readonly kind: 'known' } & ShownPlayers)
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellCode };

/** [RCON-13] The part of a list that announces the number of players. Any text may come before it. */
const HEADERS: readonly RegExp[] = [
  /There are (\d+) of a max(?: of)? \d+ players online:/i,
  /There are (\d+)\/\d+ players online:/i,
  /Players \((\d+)\):/i,
];

/** How `list uuids` shows a player: with the plain name, without a team's prefix and suffix. */
const NAME_WITH_UUID = /^(\S+) \(([0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12})\)$/i;

/**
 * [RCON-13] The names, if the list has as many as it announces; otherwise why it cannot be relied on.
 *
 * @param text without colours.
 */
export function readPlayerList(text: string): PlayerList {
  const header = HEADERS.map((pattern) => pattern.exec(text)).find((match) => match !== null);
  if (header === undefined) return { kind: 'cannot-tell', reason: 'list-not-understood' };
  const announced = Number(header[1]);
  const entries = entriesIn(text.slice(header.index + header[0].length), announced);
  const players = entries.map((entry): ShownPlayer => {
    const [, name = entry, uuid] = NAME_WITH_UUID.exec(entry) ?? [];
    return { name, uuid: uuid?.toLowerCase() ?? null };
  });
  const shown = players.length === announced ? shownPlayers(players) : null;
  return shown === null
    ? { kind: 'cannot-tell', reason: 'list-does-not-add-up' }
    : { kind: 'known', ...shown };
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
