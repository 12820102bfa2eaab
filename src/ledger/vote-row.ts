import type { Window } from '../core/cooldown.ts';
import type { DecisionKind, RewardReasons } from '../core/decide.ts';
import type { Channel } from '../core/vote.ts';
import type { VoidOrder } from './operator-ledger.ts';

export interface VoteFilter {
  readonly id?: number;
  /** A player’s name in any case, or a user ID. */
  readonly recipient?: string;
  /** An entry's key, or a service name as received. */
  readonly site?: string;
  readonly decision?: DecisionKind;
  readonly channel?: Channel;
  /** Received at this time or later. */
  readonly since?: number;
  /** Received before this time. */
  readonly until?: number;
  /** Votes older than this one, for paging. */
  readonly after?: number;
  readonly limit: number;
}

export interface VoteRow {
  readonly id: number;
  readonly service: string;
  readonly site: string;
  readonly recipient: string;
  readonly player: string | null;
  /** The player's name as the site sent it, if that differs. */
  readonly sentAs: string | null;
  readonly castAt: number;
  readonly claimedAt: number | null;
  readonly receivedAt: number;
  readonly channel: Channel;
  readonly address: string | null;
  readonly decision: DecisionKind;
  readonly nextAt: number | null;
  readonly takenBy: number | null;
  /** The window that it took; for a vote that took none, the one that it would have taken. */
  readonly window: Window;
  /**
   * A reason for every reward, or only for chances if an older Teller stored the vote; empty if no reward was judged.
   */
  readonly reasons: RewardReasons;
  /** Set if the operator rewarded it later, with the reasons of that decision. */
  readonly operatorRewardedAt: number | null;
  readonly operatorReasons: RewardReasons;
  /** Set if it was decided again because its service got an entry in `sites`, with what was decided when it came. */
  readonly listed: { readonly at: number; readonly takenBy: number; readonly reasons: RewardReasons } | null;
  /** Set if the operator voided it: it is in no total and marks no day. */
  readonly voided: (VoidOrder & { readonly at: number }) | null;
  /** Another listener pays it (`src/core/pay.ts`). */
  readonly isPaidElsewhere: boolean;
  readonly wire: string;
  readonly repeats: number;
  readonly repeatedAt: number | null;
}

/** Some of the votes that match a filter, newest first. */
export interface VotePage {
  readonly votes: readonly VoteRow[];
  /** How many votes were looked at to find these. */
  readonly lookedAt: number;
  /** The ID of the last vote that was looked at, from which the search can go on; null: no older vote can match. */
  readonly searchedTo: number | null;
}
