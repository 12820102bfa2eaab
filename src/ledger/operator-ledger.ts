import type { Earned } from '../core/decide.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import type { ClockRelease } from './clock-history.ts';

/** What became of an operator's change: done, or the state that the grant is in instead. */
export type Change =
  | { readonly kind: 'changed' }
  | { readonly kind: 'not-changed'; readonly state: GrantState | 'sending' | 'missing' };

/** What became of the operator's word that a command ran. */
export type Continued =
  /** `delivered` where that command was the last. */
  | { readonly kind: 'continued'; readonly state: Extract<GrantState, 'pending' | 'delivered'> }
  /** It is stuck for another reason than a command that may have run. */
  | { readonly kind: 'none-ran'; readonly state: GrantState }
  | Extract<Change, { readonly kind: 'not-changed' }>;

/** How a grant is to be paid after all. */
export interface PaymentOrder {
  /** Another player than the grant is for; it may then also be `waiting`. Absent or null: the same player. */
  readonly to?: PlayerName | null;
  /** New texts for its commands that are not delivered; null: as they are. Those past the last text are dropped. */
  readonly texts: readonly string[] | null;
  /** What the game servers are now: a grant held because its server became another one is owed by the new one then. */
  readonly kindByServer: ReadonlyMap<string, string>;
}

/** Why a vote cannot be rewarded by the operator's word. */
export type VoteRewardRefusal = Extract<
  ProblemCode,
  'vote-missing' | 'vote-rewarded' | 'vote-rewarded-by-operator' | 'vote-no-player'
>;

export type RewardedVoteNow =
  | { readonly kind: 'granted'; readonly grantIds: readonly number[] }
  | { readonly kind: 'refused'; readonly code: VoteRewardRefusal };

export interface OperatorLedger {
  /** Why this vote cannot be rewarded by the operator's word; null: it can. */
  voteRewardRefusal(voteId: number): Promise<VoteRewardRefusal | null>;
  /** Makes grants for a vote that was counted and not rewarded, once. It stays as it was counted and takes no window. */
  rewardVote(voteId: number, reward: Earned, now: number): Promise<RewardedVoteNow>;
  /**
   * From `held` or `refused` to `pending`: the command that stopped it runs again, and those after it. A grant that is
   * paid to another player keeps the commands that were delivered as they ran.
   */
  pay(grantId: number, order: PaymentOrder, now: number): Promise<Change>;
  /**
   * The command that stopped a `held` or `refused` grant did run: it counts as delivered, and the grant goes on with
   * the next one.
   */
  continueAfter(grantId: number, order: Pick<PaymentOrder, 'kindByServer'>, now: number): Promise<Continued>;
  /** From `held` or `refused` to `delivered`: nothing more is run. */
  markPaid(grantId: number, now: number): Promise<Change>;
  /** From any open state to `cancelled`. */
  cancel(grantId: number, now: number): Promise<Change>;
  /** Believes the clock from now on, `wall` being what it shows, and pays what was held because it was doubted. */
  releaseClock(wall: number, now: number): Promise<ClockRelease>;
}
