import { Secret } from '../core/secret-value.ts';
import type { GameServerConfig, GameServerKind } from '../delivery/game-server-kind.ts';
import { kindOf, secretKeysOf, takesCommands } from '../delivery/kinds.ts';
import type { ConfigEntries } from './schema.ts';
import { type GameServerEntry, NO_COMMANDS } from './schema-game-servers.ts';
import type { Secrets } from './secret.ts';

export function resolveGameServer(
  name: string,
  entry: GameServerEntry,
  { gameServerSecrets }: Secrets,
  absolute: (relative: string) => string,
): GameServerConfig {
  const kind = kindOf(entry);
  const { commandPause, commandTimeout, joinDelay, presenceInterval, ...own } =
    kind.forwardTerms === undefined ? entry : { ...NO_COMMANDS, ...entry };
  const rest = { ...own, ...absolutePaths(kind, own, absolute) };
  const waits = {
    commandPauseMs: commandPause,
    commandTimeoutMs: commandTimeout,
    joinDelayMs: joinDelay,
    presenceIntervalMs: presenceInterval,
  };
  const found = gameServerSecrets.get(name);
  const secrets = secretKeysOf(kind).map((key) => [
    key,
    found?.get(key) ?? Secret.missing(`${name} has no ${key}`),
  ]);
  return { ...rest, ...waits, ...Object.fromEntries(secrets) };
}

export const absolutePaths = (
  { pathKeys = [], isPath = () => true }: Pick<GameServerKind, 'pathKeys' | 'isPath'>,
  entry: Readonly<Record<string, unknown>>,
  absolute: (relative: string) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    pathKeys.flatMap((key) => {
      const value = entry[key];
      return typeof value === 'string' && isPath(value) ? [[key, absolute(value)]] : [];
    }),
  );

/** What a reward means that names no game servers. */
export const payingServers = (gameServers: ConfigEntries['gameServers']): readonly string[] =>
  Object.entries(gameServers).flatMap(([name, { kind }]) => (takesCommands(kind) ? [name] : []));
