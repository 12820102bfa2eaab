import type { ManagementPlayer } from '../../../protocol/management/players.ts';
import { playerKey } from '../../core/player-name.ts';
import type { Presence } from '../game-server.ts';
import { isShownName } from '../shown-name.ts';

/**
 * Who is online according to a list of the management protocol. An entry that cannot be a player's name is left out: unlike in a
 * line of text, it cannot hide others. UUIDs are used if every player has one, as with `list uuids`.
 */
export function presenceOf(players: readonly ManagementPlayer[]): Presence {
  const named = players.filter(({ name }) => isShownName(name));
  const byKey = new Map(named.map((player) => [playerKey(player.name), player]));
  const names = [...byKey.values()].map(({ name }) => name);
  const uuids = [...byKey].flatMap(([key, { uuid }]) => (uuid === null ? [] : [[key, uuid] as const]));
  // Of two players with one name, nobody knows which UUID is meant.
  const hasAll = named.length > 0 && uuids.length === named.length;
  return { kind: 'known', isBeside: true, names, ...(hasAll ? { uuids: new Map(uuids) } : {}) };
}
