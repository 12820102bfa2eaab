import type { Outcome } from './outcome.ts';

/**
 * The state of a grant. A `pending` grant will be tried, a `waiting` grant waits for its player, and `held` and
 * `refused` grants need the operator.
 */
export type GrantState = 'pending' | 'waiting' | 'held' | 'refused' | 'delivered' | 'cancelled';

/** Rule 5: the state of a grant after one of its commands ended. */
export function stateAfter(
  outcome: Outcome['kind'],
  { isLast, safeToRunTwice }: { isLast: boolean; safeToRunTwice: boolean },
): GrantState {
  switch (outcome) {
    case 'delivered':
      return isLast ? 'delivered' : 'pending';
    case 'refused':
      return 'refused';
    case 'player-offline':
      return 'waiting';
    case 'not-sent':
      return 'pending';
    case 'unknown':
      return safeToRunTwice ? 'pending' : 'held';
  }
}
