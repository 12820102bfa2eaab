import type { Clock } from '../../core/clock.ts';
import type { Finding } from '../../core/finding.ts';
import type { Random } from '../../core/random.ts';
import { kindOf } from '../../delivery/kinds.ts';
import { sentenceOf } from '../../delivery/outcomes.ts';
import type { GameServerAddition } from './add.ts';
import { needsUuidsOn } from './needs-uuids.ts';

export interface TryParts {
  readonly clock: Clock;
  readonly random: Random;
  /** Whether a running Teller is connected to the same game server, which may then refuse a second login. */
  readonly isInUse?: () => Promise<boolean>;
}

/**
 * Logs in and reads who is online, as `teller check` does, before anything is written. It changes nothing there. Without a
 * finding of the mark `problem`, commands can be sent.
 */
export async function tryGameServer(
  { name, password, planned }: GameServerAddition,
  { clock, random, isInUse = async () => false }: TryParts,
): Promise<readonly Finding[]> {
  const server = planned.gameServers.get(name);
  if (server === undefined) return [];
  const kind = kindOf(server);
  const parts = { name, clock, random, needsUuids: needsUuidsOn(name, planned), isInUse, sentenceOf };
  // The password is not written yet.
  return kind.check(kind.secretKey === null ? server : { ...server, [kind.secretKey]: password }, parts);
}
