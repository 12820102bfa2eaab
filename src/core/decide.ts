import type { AnnouncementTerms } from './announcement.ts';
import type { Choice } from './choice.ts';
import { type Cooldown, windowOf } from './cooldown.ts';
import type { GrantTerms } from './grant-terms.ts';
import type { Occasion } from './occasion.ts';
import type { Reason } from './reason.ts';
import type { When } from './reward.ts';
import type { Values } from './template.ts';
import type { Vote } from './vote.ts';
import { nextWindow, type RewardedVote, windowTakenFirstBy } from './window.ts';

/** One reward owed for one vote on one game server, before it is stored. */
export interface PlannedGrant {
  readonly reward: string;
  /** What it is granted for (rule 14), such as `total 25`; empty if its conditions give no occasion. */
  readonly occasion: string;
  /** The name of a game server, or a pool (`core/pool.ts`). */
  readonly server: string;
  readonly practice: boolean;
  readonly when: When;
  readonly safeToRunTwice: boolean;
  /** null: the reward has none. */
  readonly terms: GrantTerms | null;
  /** null: none of its commands is an announcement. */
  readonly announcement: AnnouncementTerms | null;
  /** null: those of the reward's `commands`. */
  readonly choice: Choice | null;
  /** What was filled in that the vote itself does not say, so that commands can be filled in again. */
  readonly filled: FilledIn;
  /** In the order in which they run, with `{player}` not replaced yet (see `closeCommand`). */
  readonly commands: readonly string[];
}

/** The values that a grant's commands were given. */
export type FilledIn = Pick<Values, 'figures' | 'random' | 'nextVote'>;

/** The rewards of a vote. */
export interface GrantedRewards {
  readonly grants: readonly PlannedGrant[];
  readonly reasons: RewardReasons;
}

/** What a vote earns. */
export interface Earned extends GrantedRewards {
  /** The occasions that it takes (rule 14), also where a chance was lost. */
  readonly spent: readonly SpentOccasion[];
}

export interface SpentOccasion {
  /** The reward's name. */
  readonly reward: string;
  readonly occasion: Occasion;
}

export const NOTHING_EARNED: Earned = { grants: [], spent: [], reasons: new Map() };

/** For each reward that was considered, by its name: `granted`, or what stopped it. */
export type RewardReasons = ReadonlyMap<string, Reason>;

/** A vote that takes no window can earn something too: it marks its day. */
export type Decision = WindowDecision & Earned;

export type WindowDecision =
  | TakenWindow
  | { readonly kind: 'cooldown'; readonly nextAt: number; readonly takenBy: number }
  /** Only another service that has no entry in `sites` either has the window. An entry makes the vote payable. */
  | { readonly kind: 'unlisted'; readonly nextAt: number; readonly takenBy: number }
  | { readonly kind: 'too-old' }
  | { readonly kind: 'before-start' }
  | { readonly kind: 'no-player' };

/** The vote takes its window. */
export interface TakenWindow {
  readonly kind: 'rewarded';
  /** When a vote for this site and recipient is rewarded again. */
  readonly nextAt: number;
}

/** As it is stored: `practice` is a vote that was voided when practice ended (rule 9), whatever was decided before. */
export type DecisionKind = Decision['kind'] | 'practice';

/** Why a vote counts but cannot be rewarded, even if its window is free. */
export type UnrewardedReason = 'no-player' | 'before-start' | 'too-old';

/** A vote that may be recorded, and how often its site's votes are rewarded. */
export interface JudgedArrival {
  readonly vote: Vote;
  readonly cooldown: Cooldown;
  /** Whether the vote is counted in totals even if it does not take its window. */
  readonly countsAll: boolean;
  /** Absent if the window alone decides. */
  readonly unrewarded?: UnrewardedReason | undefined;
}

/**
 * Rule 3: whether a vote takes the window. What it then earns is decided by `src/rewards/decide.ts`.
 *
 * @param rewarded the recipient's rewarded votes that share the site's windows, since `closeSince`, oldest first.
 */
export function decideWindow(
  { vote, cooldown, unrewarded }: JudgedArrival,
  rewarded: readonly RewardedVote[],
): WindowDecision {
  if (unrewarded !== undefined) return { kind: unrewarded };
  const taken = windowTakenFirstBy(vote.castAt, cooldown, rewarded);
  if (taken !== null) {
    const kind = taken.isOfOther === true ? 'unlisted' : 'cooldown';
    return { kind, nextAt: nextWindow(vote.castAt, cooldown, rewarded), takenBy: taken.id };
  }
  return { kind: 'rewarded', nextAt: windowOf(vote.castAt, cooldown).end };
}
