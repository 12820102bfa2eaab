import type { Command, OptionValues } from '@commander-js/extra-typings';
import type { GrantState } from '../core/settlement.ts';
import type { GrantFilter } from '../ledger/ledger.ts';
import { type Flags, given } from './flags.ts';

const STATES: readonly GrantState[] = ['pending', 'waiting', 'held', 'refused', 'delivered', 'cancelled'];

/** The flags that filter grants, both to list and to change them. */
export interface GrantFilterFlags {
  readonly state?: string;
  readonly reward?: string;
  readonly server?: string;
  readonly player?: string;
  readonly since?: string;
}

export const withGrantFilter = <Arguments extends unknown[], Own extends OptionValues>(
  command: Command<Arguments, Own>,
) =>
  command
    .option('--state <state>', `only in this state: ${STATES.join(', ')}`)
    .option('--reward <name>', 'only of this reward')
    .option('--server <name>', 'only for this game server')
    .option('--player <name>', 'only for this player or user ID')
    .option('--since <time>', 'only created since then: a duration ("24h") or an ISO date or date-time');

export function readGrantFilter(
  { state, reward, server, player, since }: GrantFilterFlags,
  flags: Flags,
  now: number,
  states: readonly GrantState[] = STATES,
): Omit<GrantFilter, 'limit'> {
  return given({
    state: flags.oneOf('--state', state, states),
    reward,
    server,
    recipient: player,
    since: flags.since('--since', since, now),
  });
}
