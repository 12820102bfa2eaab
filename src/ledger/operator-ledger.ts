import type { Cooldown } from '../core/cooldown.ts';
import type { GrantedRewards, RewardReasons } from '../core/decide.ts';
import type { Occasion } from '../core/occasion.ts';
import type { Pause, PauseScope } from '../core/pause.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { ProblemCode } from '../core/problem.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Draws } from '../rewards/draws.ts';
import type { Reward, Rules } from '../rewards/reward.ts';
import type { ClockRelease, ReleaseProgress } from './clock-history.ts';
import type { PlayerOperatorLedger } from './player-ledger.ts';

/** Who changes a grant by hand. */
export interface GrantOrder {
  /** The account on this machine, or how someone signed in to the console. */
  readonly by: string;
  /**
   * When the grant had last changed, as it was shown to them. If it has changed since, also to the same state, it is left
   * as it is. Absent: whatever its last change.
   */
  readonly shownChange?: number;
}

/** The result of an operator's change: done, or the state of a grant for which it is not possible. */
export type Change =
  | { readonly kind: 'changed' }
  | { readonly kind: 'not-changed'; readonly state: GrantState | 'sending' | 'missing' };

/** The result when the operator says that a command ran. */
export type Continued =
  /** `delivered` if that command was the last one. */
  | { readonly kind: 'continued'; readonly state: Extract<GrantState, 'pending' | 'delivered'> }
  /** The grant is held or refused for a reason other than a command. */
  | { readonly kind: 'none-ran'; readonly state: GrantState }
  | Extract<Change, { readonly kind: 'not-changed' }>;

/** How to pay a grant that is held or refused. */
export interface PaymentOrder extends GrantOrder {
  /** Another player to pay instead; the grant may then also be `waiting`. Absent or null: the same player. */
  readonly to?: PlayerName | null;
  /** New texts for its commands that are not delivered; null: no change. Commands past the last text are dropped. */
  readonly texts: readonly string[] | null;
  /** The kind of each game server. A grant held because its game server changed is then owed on the new one. */
  readonly kindByServer: ReadonlyMap<string, string>;
}

/** How to go on with a grant whose command did run. */
export type ContinueOrder = GrantOrder & Pick<PaymentOrder, 'kindByServer'>;

/** Why the operator cannot reward a vote. */
export type VoteRewardRefusal = Extract<
  ProblemCode,
  | 'vote-missing'
  | 'vote-rewarded'
  | 'vote-rewarded-by-operator'
  | 'vote-imported'
  | 'vote-no-player'
  | 'vote-forgotten'
  | 'vote-voided'
>;

export type LateReward =
  | (GrantedRewards & { readonly kind: 'grantable' })
  | { readonly kind: 'refused'; readonly code: VoteRewardRefusal };

export type RewardedVoteNow =
  | { readonly kind: 'granted'; readonly grantIds: readonly number[]; readonly reasons: RewardReasons }
  | { readonly kind: 'refused'; readonly code: VoteRewardRefusal };

/** Why the operator cannot void a vote. */
export type VoidRefusal = Extract<ProblemCode, 'vote-missing' | 'vote-voided'>;

/** Who voids votes, and why. */
export interface VoidOrder {
  /** The account on this machine. */
  readonly by: string;
  readonly reason: string;
}

export type Voided =
  | { readonly kind: 'voided' }
  | { readonly kind: 'refused'; readonly code: VoidRefusal; readonly id: number };

/** The votes that came while every game server was a practice one; until a real one runs, those are all votes. */
export interface PracticeVotes {
  /** From this machine, as the sender's address says, without those that count for nothing already. */
  readonly fromHere: number;
  readonly fromOutside: number;
  /** Whether those from this machine were voided, which is done once for each ledger. */
  readonly areVoided: boolean;
}

export interface PracticeVoided {
  readonly voided: number;
  readonly isDone: boolean;
}

/** By what a vote is rewarded that was recorded earlier. */
export interface LateRules {
  /** The entry of `sites` that its service has now. */
  readonly site: string;
  readonly cooldown: Cooldown;
  readonly rules: Rules;
  readonly draws: Draws;
}

/** Whose counts are wrong. */
export interface RecountOrder {
  readonly recipients: readonly number[];
  readonly network: boolean;
  readonly parties: readonly number[];
}

/** A reward that the operator gives to a player without a vote. */
export interface GivenReward {
  /** Its `servers` are those on which it is granted. */
  readonly reward: Reward;
  readonly player: PlayerName;
  /** It is spent (rule 14); without a name, nothing is. */
  readonly occasion: Occasion;
  /** The account on this machine. */
  readonly by: string;
  readonly rules: Rules;
  readonly draws: Draws;
}

export type RewardGiven =
  | { readonly kind: 'given'; readonly grantIds: readonly number[] }
  /** `reward-unfit`: it has nothing to run for this occasion. */
  | { readonly kind: 'refused'; readonly code: Extract<ProblemCode, 'occasion-spent' | 'reward-unfit'> };

/** `already-paused`: nothing was changed; `pause` is the one that lasts. */
export interface Paused {
  readonly kind: 'paused' | 'already-paused';
  readonly pause: Pause;
}

/** `pause`: the one that is over now. */
export type Resumed = { readonly kind: 'resumed'; readonly pause: Pause } | { readonly kind: 'not-paused' };

export interface OperatorLedger extends PlayerOperatorLedger {
  /** Creates grants whose cause is the operator: no window, condition or limit is looked at. */
  giveReward(given: GivenReward, now: number): Promise<RewardGiven>;
  /** What a vote that was not rewarded would be granted now, or why the operator cannot reward it. */
  lateReward(voteId: number, by: LateRules): Promise<LateReward>;
  /**
   * Creates the grants of `lateReward`, once. The vote keeps its decision, takes no window and is added to no total; it
   * takes places of limits.
   */
  rewardVote(voteId: number, by: LateRules, now: number): Promise<RewardedVoteNow>;
  /**
   * Takes votes out of all counts and days, all of them or none. They keep their windows, their grants and the occasions
   * that they spent (rule 14).
   */
  voidVotes(ids: readonly number[], order: VoidOrder, now: number): Promise<Voided>;
  /**
   * Practice is over, now or since a config with a real game server ran. Voids the votes from this machine that came during
   * it, once for each ledger, in portions: call it until it is done. Unlike others that are voided, they also give back
   * their windows, limits and occasions.
   */
  voidPracticeVotes(order: VoidOrder, now: number): Promise<PracticeVoided>;
  /**
   * From `held` or `refused` to `pending`: the command that stopped it and those after it will run. A grant that is
   * redirected to another player keeps its delivered commands as they ran.
   */
  pay(grantId: number, order: PaymentOrder, now: number): Promise<Change>;
  /**
   * The command that stopped a `held` or `refused` grant did run: it counts as delivered, and the grant goes on with
   * the next one.
   */
  continueAfter(grantId: number, order: ContinueOrder, now: number): Promise<Continued>;
  /** From `held` or `refused` to `delivered`: nothing more is run. */
  markPaid(grantId: number, order: GrantOrder, now: number): Promise<Change>;
  /** From any open state to `cancelled`. */
  cancel(grantId: number, order: GrantOrder, now: number): Promise<Change>;
  /** From now on no command is claimed in this scope; one that is being sent ends as any other. */
  pause(scope: PauseScope, by: string, now: number): Promise<Paused>;
  /** Ends the pause of exactly this scope. */
  resume(scope: PauseScope, now: number): Promise<Resumed>;
  /** Counts again from the votes. */
  recount(order: RecountOrder): Promise<void>;
  /**
   * Trusts the clock, which shows `wall`, from now on, and releases the grants that were held because it was doubted, in portions:
   * call it until none is left.
   *
   * @param progress `next` of the call before; null for the first one, also to go on after one that did not reach its end.
   */
  releaseClock(wall: number, progress: ReleaseProgress | null, now: number): Promise<ClockRelease>;
}
