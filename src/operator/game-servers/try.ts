import type { Clock } from '../../core/clock.ts';
import type { Finding } from '../../core/finding.ts';
import type { Random } from '../../core/random.ts';
import type { GameServerConfig } from '../../delivery/game-server-kind.ts';
import { kindOf } from '../../delivery/kinds.ts';
import { sentenceOf } from '../../delivery/reasons.ts';
import type { GameServerAddition } from './add.ts';
import { type JoinsRefusal, refusalOf } from './management.ts';
import { neededOn } from './needed.ts';

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
  plan: GameServerAddition,
  { clock, random, isInUse = async () => false }: TryParts,
): Promise<readonly Finding[]> {
  const server = serverOf(plan);
  if (server === null) return [];
  const { name, planned } = plan;
  const parts = { name, clock, random, ...neededOn(name, planned), isInUse, sentenceOf };
  return kindOf(server).check(server, parts);
}

export type TriedJoins = { readonly kind: 'reported' } | ({ readonly kind: 'unreported' } & JoinsRefusal);

/**
 * Whether the game server reports joins by what was entered for its management protocol, before anything is written. Sends
 * nothing over RCON, of which a game server may allow one connection only. null: nothing was entered.
 * The first call loads the code of that protocol, as does a reload that adds the first such game server.
 */
export async function tryJoins(
  plan: GameServerAddition,
  { clock }: Pick<TryParts, 'clock'>,
): Promise<TriedJoins | null> {
  const server = serverOf(plan);
  if (plan.management === null || server === null) return null;
  const finding = await kindOf(server).checkJoins?.(server, { name: plan.name, clock });
  if (finding == null) return null;
  const refusal = refusalOf(finding);
  return refusal === null ? { kind: 'reported' } : { kind: 'unreported', ...refusal };
}

/** The game server as it will be, with the secrets that are not written yet. */
function serverOf({ name, password, management, planned }: GameServerAddition): GameServerConfig | null {
  const server = planned.gameServers.get(name);
  if (server === undefined) return null;
  const { secretKey } = kindOf(server);
  return {
    ...server,
    ...(secretKey === null ? {} : { [secretKey]: password }),
    ...(management === null ? {} : { managementSecret: management.secret }),
  };
}
