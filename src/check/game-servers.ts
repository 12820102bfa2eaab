import { namedRewards } from '../config/config.ts';
import { type Finding, warning } from '../core/finding.ts';
import { needs } from '../core/placeholders.ts';
import type { GameServerConfig } from '../delivery/game-server-kind.ts';
import { kindOf } from '../delivery/kinds.ts';
import { sentenceOf } from '../delivery/reasons.ts';
import { templatesOf } from '../rewards/choices.ts';
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
  const paidHere = namedRewards(config).filter((reward) => reward.servers.includes(name));
  const needsUuids = paidHere.some((reward) => templatesOf(reward).some((each) => needs(each, 'uuid')));
  const conditions = paidHere.flatMap(({ payIf }) => (payIf === null ? [] : [payIf.condition]));
  const isInUse = async (): Promise<boolean> =>
    isRunning && (await ledger?.queues())?.get(name)?.reason === null;
  return kind.check(server, { name, clock, random, needsUuids, conditions, isInUse, sentenceOf });
}

const notReal = (name: string): Finding =>
  warning(
    'practice',
    `${name} is a practice server, so no real player is paid`,
    `set gameServers.${name}.kind to "rcon", with host, port and password`,
  );
