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
