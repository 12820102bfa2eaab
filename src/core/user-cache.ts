import { DAY_MS } from './duration.ts';
import { readJson } from './json.ts';
import { playerKey } from './player-name.ts';
import { parsePlayerUuid } from './player-uuid.ts';
import { isShownName } from './shown-players.ts';

/** A player of a game server's `usercache.json`. */
export interface CachedPlayer {
  readonly name: string;
  readonly uuid: string;
  /** When the game server saw the player at the earliest. */
  readonly at: number;
}

export type UserCache =
  | { readonly kind: 'players'; readonly players: readonly CachedPlayer[] }
  | { readonly kind: 'fault'; readonly sentence: string };

/** An entry expires one month after the game server saw the player; no month is longer. */
const LONGEST_MONTH_MS = 31 * DAY_MS;

/** `2026-12-21 18:40:00 +0100` */
const EXPIRY = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d) ([+-]\d\d)(\d\d)$/;

/**
 * Reads a `usercache.json`. A player who had a name before is still in it, so of two entries with the same name only the
 * later one counts. Names that no player can have are left out: unlike in a list of who is online, they cannot hide others.
 */
export function parseUserCache(text: string): UserCache {
  const entries = readJson(text);
  if (entries === undefined) return { kind: 'fault', sentence: 'it is not JSON' };
  if (!Array.isArray(entries)) return { kind: 'fault', sentence: 'it is not a list of players' };
  const latest = new Map<string, CachedPlayer>();
  for (const entry of entries) {
    const player = playerOf(entry);
    if (player === null) return { kind: 'fault', sentence: 'an entry has no name, uuid or expiresOn' };
    if (!isShownName(player.name)) continue;
    const key = playerKey(player.name);
    if (player.at > (latest.get(key)?.at ?? Number.NEGATIVE_INFINITY)) latest.set(key, player);
  }
  // In the order in which they were seen, so that a player's last name is their present one.
  return { kind: 'players', players: [...latest.values()].sort((one, other) => one.at - other.at) };
}

function playerOf(entry: unknown): CachedPlayer | null {
  if (typeof entry !== 'object' || entry === null) return null;
  const { name, uuid: written, expiresOn } = entry as Readonly<Record<string, unknown>>;
  if (typeof name !== 'string' || typeof written !== 'string' || typeof expiresOn !== 'string') return null;
  const [, day, time, hours, minutes] = EXPIRY.exec(expiresOn) ?? [];
  const uuid = parsePlayerUuid(written);
  const expiry = Date.parse(`${day}T${time}${hours}:${minutes}`);
  if (uuid === null || Number.isNaN(expiry)) return null;
  return { name, uuid, at: expiry - LONGEST_MONTH_MS };
}
