import { type Config, namedRewards } from '../config/config.ts';
import { nearestWord } from '../core/nearest-word.ts';
import type { Pause, PauseScope } from '../core/pause.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { Ledger, Paused, Resumed } from '../ledger/ledger.ts';

/** What the operator asks for, and who asks. */
export interface PauseOrder {
  readonly scope: PauseScope;
  /** The account on this machine. */
  readonly by: string;
  readonly now: number;
}

export interface PauseRefused {
  readonly kind: 'refused';
  readonly code: Extract<ProblemCode, 'server-unknown' | 'reward-unknown'>;
  /** What is wrong and what to do. */
  readonly sentence: string;
}

type PauseLedger = Pick<Ledger, 'pause' | 'resume' | 'pauses'>;

/** Stops paying, until `resumeRewards` is called for the same scope. */
export async function pauseRewards(
  ledger: PauseLedger,
  config: Config,
  { scope, by, now }: PauseOrder,
): Promise<Paused | PauseRefused> {
  return unknownIn(scope, config, []) ?? (await ledger.pause(scope, by, now));
}

/** `left`: the pauses that still last. */
export async function resumeRewards(
  ledger: PauseLedger,
  config: Config,
  { scope, now }: Omit<PauseOrder, 'by'>,
): Promise<(Resumed & { readonly left: readonly Pause[] }) | PauseRefused> {
  // What is paused may have been taken out of the config since.
  const refused = unknownIn(scope, config, await ledger.pauses());
  if (refused !== null) return refused;
  const resumed = await ledger.resume(scope, now);
  return { ...resumed, left: await ledger.pauses() };
}

function unknownIn(
  { server, reward }: PauseScope,
  config: Config,
  pauses: readonly Pause[],
): PauseRefused | null {
  const servers = [...config.gameServers.keys(), ...pauses.flatMap((pause) => pause.server ?? [])];
  const names = [
    ...namedRewards(config).map(({ name }) => name),
    ...pauses.flatMap((pause) => pause.reward ?? []),
  ];
  if (server !== null && !servers.includes(server))
    return refused('server-unknown', 'no game server', server, servers);
  return reward === null || names.includes(reward)
    ? null
    : refused('reward-unknown', 'no reward', reward, names);
}

function refused(
  code: PauseRefused['code'],
  none: string,
  written: string,
  known: readonly string[],
): PauseRefused {
  const meant = nearestWord(written, known);
  const hint = meant === null ? '' : `; did you mean "${meant}"?`;
  return {
    kind: 'refused',
    code,
    sentence: `${none} in the config is called ${JSON.stringify(written)}${hint}`,
  };
}
