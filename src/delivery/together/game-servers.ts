import { parsePlayerName, playerKey } from '../../core/player-name.ts';
import type { PresentPlayer } from '../../ledger/ledger.ts';
import type { GameServer } from '../game-server.ts';
import { type SeenPlayers, shownIn } from '../seen-players.ts';

/** The game servers of the config, by name. */
export type GameServers = ReadonlyMap<string, GameServer>;

/**
 * Who is on these game servers, each player once. One that cannot be reached or cannot tell adds nobody, and neither does
 * a name that no player can have (rule 8). Rejects with the ledger's Problem if it cannot be stored who was shown.
 */
export async function presentOn(
  names: readonly string[],
  servers: GameServers,
  bedrockPrefixes: readonly string[],
  seen: Pick<SeenPlayers, 'store'>,
): Promise<readonly PresentPlayer[]> {
  const readings = await Promise.all(
    names.map(async (server) => ({ server, presence: await servers.get(server)?.presence([]) })),
  );
  // Before anyone is looked up by name: a name may be another player's now.
  for (const { server, presence } of readings)
    if (presence !== undefined) await seen.store(server, shownIn(presence));
  const present = new Map<string, PresentPlayer>();
  for (const { server, presence } of readings) {
    for (const shown of presence?.kind === 'known' ? presence.names : []) {
      const parsed = parsePlayerName(shown, bedrockPrefixes);
      const key = playerKey(shown);
      if (parsed.kind === 'name' && !present.has(key)) present.set(key, { player: parsed.name, server });
    }
  }
  return [...present.values()];
}

/**
 * Runs commands that are true only now: they are not stored, and neither kept nor repeated if the game server does not
 * take them.
 */
export async function tell(
  names: readonly string[],
  commands: readonly string[],
  servers: GameServers,
): Promise<void> {
  await Promise.all(
    names.map(async (name) => {
      const server = servers.get(name);
      if (server === undefined) return;
      for (const command of commands) {
        if ((await server.open()).kind !== 'open') return;
        await server.run(command);
      }
    }),
  );
}
