import type { GameServerConfig, GameServerKind, KindAtWork, KindInConfig } from './game-server.ts';
import { http } from './kinds/http.ts';
import { practice } from './kinds/practice.ts';
import { pterodactyl } from './kinds/pterodactyl.ts';
import { rcon } from './kinds/rcon.ts';
import { votifier } from './kinds/votifier.ts';

/** Every kind of game server, in the order of the docs. */
export const gameServerKinds: readonly GameServerKind[] = [
  practice,
  inTwoFiles(rcon, () => import('./kinds/rcon-game-server.ts')),
  inTwoFiles(http, () => import('./kinds/http-game-server.ts')),
  inTwoFiles(pterodactyl, () => import('./kinds/pterodactyl-game-server.ts')),
  inTwoFiles(votifier, () => import('./kinds/votifier-game-server.ts')),
];

/** The second file knows the first one, and is loaded only when it is used. */
function inTwoFiles<Config extends GameServerConfig>(
  kind: KindInConfig<Config>,
  load: () => Promise<KindAtWork<Config>>,
): GameServerKind<Config> {
  return {
    ...kind,
    load,
    connect: async (server, parts) => (await load()).connect(server, parts),
    check: async (server, parts) => (await load()).check(server, parts),
  };
}

export const secretKeysOf = ({ secretKey }: GameServerKind): readonly string[] =>
  secretKey === null ? [] : [secretKey];

/** Keys of `gameServers` entries that hold a secret. */
export const gameServerSecretKeys: readonly string[] = gameServerKinds.flatMap(secretKeysOf);

/** The kind with this name; null if there is none. */
export const kindNamed = (name: string | undefined): GameServerKind | null =>
  gameServerKinds.find((kind) => kind.name === name) ?? null;

/** Whether rewards can be paid on a game server of this kind. Of an unknown kind, nothing is known. */
export const takesCommands = (name: string | undefined): boolean =>
  kindNamed(name)?.forwardTerms === undefined;

/** The kind of a game server in a valid config. */
export function kindOf({ kind: name }: Pick<GameServerConfig, 'kind'>): GameServerKind {
  const kind = kindNamed(name);
  if (kind === null) throw new Error(`there is no kind of game server named ${name}`);
  return kind;
}

/** Whether a game server can report who is online; null for an unknown kind. */
export const reportsPresence = (entry: Readonly<Record<string, unknown>> | undefined): boolean | null =>
  kindNamed(typeof entry?.kind === 'string' ? entry.kind : undefined)?.reportsPresence(entry ?? {}) ?? null;
