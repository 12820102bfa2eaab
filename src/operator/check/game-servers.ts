import { type Finding, warning } from '../../core/finding.ts';
import type { GameServerConfig } from '../../delivery/game-server.ts';
import { kindOf } from '../../delivery/kinds.ts';
import { sentenceOf } from '../../delivery/outcomes.ts';
import { needsUuidsOn } from '../game-servers/needs-uuids.ts';
import type { Subject } from './subject.ts';

/** Each kind of game server has its own check. */
export async function checkGameServers(subject: Subject): Promise<readonly Finding[]> {
  const each = [...subject.config.gameServers].map(([name, server]) =>
    checkGameServer(name, server, subject),
  );
  return (await Promise.all(each)).flat();
}

async function checkGameServer(
  name: string,
  server: GameServerConfig,
  { clock, random, isOffline, isRunning, ledger, config }: Subject,
): Promise<readonly Finding[]> {
  const kind = kindOf(server);
  if (kind.isPractice) return [notReal(name)];
  if (isOffline) return [];
  const isInUse = async (): Promise<boolean> =>
    isRunning && (await ledger?.queues())?.get(name)?.reason === null;
  return kind.check(server, {
    name,
    clock,
    random,
    needsUuids: needsUuidsOn(name, config),
    isInUse,
    sentenceOf,
  });
}

export const notReal = (name: string): Finding =>
  warning(
    'practice',
    `${name} is a practice server, so no real player is paid`,
    `set gameServers.${name}.kind to "rcon", with host, port and password`,
  );
