import type { KnownRewards } from './known-rewards.ts';
import type { StoredReasons } from './reward-reasons.ts';

/** What was read or added by earlier transactions, shared by all that write. */
export interface Known {
  readonly rewards: KnownRewards;
  readonly reasons: StoredReasons;
}
