import type { PracticeServer } from '../../practice/server.ts';
import { isPlayerName } from '../../practice/world.ts';

/** Who is on a practice server, with what they have. */
export interface PracticeWorld {
  readonly server: string;
  readonly players: readonly PracticePlayer[];
}

export interface PracticePlayer {
  readonly name: string;
  /** Counts by item. */
  readonly items: Readonly<Record<string, number>>;
}

export type PracticeServers = ReadonlyMap<string, PracticeServer>;

export const practiceWorlds = (servers: PracticeServers): readonly PracticeWorld[] =>
  [...servers].map(([server, practice]) => ({
    server,
    players: practice.players().map((name) => ({ name, items: practice.inventory(name) })),
  }));

export type Move = 'join' | 'leave';
export type MoveRefusal = 'not-a-name' | 'name-in-use' | 'not-online' | 'no-such-server';

/** @returns why the player did not move; null if they did. */
export function movePlayer(
  servers: PracticeServers,
  { server, player, move }: { readonly server: string; readonly player: string; readonly move: Move },
): MoveRefusal | null {
  const practice = servers.get(server);
  if (practice === undefined) return 'no-such-server';
  if (move === 'leave') return practice.leave(player) ? null : 'not-online';
  if (!isPlayerName(player)) return 'not-a-name';
  return practice.join(player) ? null : 'name-in-use';
}
