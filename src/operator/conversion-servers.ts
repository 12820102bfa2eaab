import { Problem } from '../core/problem.ts';
import type { Fragment, NotConverted } from '../plugins/conversion.ts';

/** Game servers on which converted rewards are paid: their names, "all" or "where-online". */
export type PaidOn = readonly string[] | 'all' | 'where-online';

export interface RewardsOnServers {
  readonly rewards: Fragment['rewards'];
  /** What is done otherwise because of the game servers. */
  readonly changed: readonly NotConverted[];
}

/**
 * The rewards of a converted config, each with the game servers that it is paid on.
 *
 * @throws Problem `usage` if there are several game servers and `paidOn` is null.
 */
export function onServers(
  rewards: Fragment['rewards'],
  paidOn: PaidOn | null,
  names: readonly string[],
): RewardsOnServers {
  const isNeeded = rewards.some((entry) => !hasServers(entry));
  if (paidOn === null && (names.length < 2 || !isNeeded)) return { rewards, changed: [] };
  if (paidOn === null) {
    const sentence = `the config has several game servers (${names.join(', ')}): say with --servers where rewards are paid, such as --servers ${names[0]}, --servers all or --servers where-online`;
    throw new Problem('usage', sentence);
  }
  return {
    rewards: rewards.map((entry) => withServers(entry, paidOn)),
    changed: paidOn === 'where-online' ? rewards.flatMap(waiting) : [],
  };
}

interface Written {
  readonly name?: string;
  readonly when?: 'always';
}

const hasServers = (entry: object): boolean => 'servers' in entry;

function withServers<Entry extends object>(entry: Entry, servers: PaidOn): Entry {
  if (hasServers(entry)) return entry;
  const { when, ...rest }: Written = entry;
  return servers === 'where-online' && when !== undefined
    ? ({ ...rest, servers } as unknown as Entry)
    : { ...entry, servers };
}

/** Rewards that the plugin pays at once, and that wait here until it is known where the player is. */
function waiting(entry: object): readonly NotConverted[] {
  const { name, when }: Written = entry;
  if (hasServers(entry) || when !== 'always') return [];
  const why =
    'with where-online, it waits until its player is online; to pay it at once, name its game server in `servers` and add `"when": "always"`';
  return [{ what: `when of reward ${name}`, why }];
}
