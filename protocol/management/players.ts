import { isObject } from './message.ts';

/** A player as a server shows them. The name is untrusted text. */
export interface ManagementPlayer {
  readonly name: string;
  /** In lower case with hyphens; null if the server shows none, or something else. */
  readonly uuid: string | null;
}

/** [MP-4] The most players that a list may have. */
export const PLAYERS_MAX = 10_000;
/** [MP-4] Longer than any name. */
const NAME_MAX = 64;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** [MP-4] null if it is not a player with a name. */
export function readPlayer(value: unknown): ManagementPlayer | null {
  if (!isObject(value)) return null;
  const { id, name } = value;
  if (typeof name !== 'string' || name === '' || name.length > NAME_MAX) return null;
  return { name, uuid: typeof id === 'string' && UUID.test(id) ? id.toLowerCase() : null };
}

/** [MP-4] The players of a list; null if it is no list, too long, or has an entry that is not a player. */
export function readPlayers(result: unknown): readonly ManagementPlayer[] | null {
  if (!Array.isArray(result) || result.length > PLAYERS_MAX) return null;
  const players = result.map(readPlayer);
  return players.every((player) => player !== null) ? players : null;
}
