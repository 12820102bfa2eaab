import type { DecisionKind } from '../core/decide.ts';
import type { Recipient } from '../core/vote.ts';
import type { GrantCounts } from './grant-row.ts';

/** How much disk the ledger takes. */
export interface LedgerSize {
  /** Of the file with all that is committed, even if part of it is only in the -wal yet. */
  readonly bytes: number;
  /** The part of it that is free for later rows. */
  readonly freeBytes: number;
  /** All votes that were ever recorded. */
  readonly votes: number;
  readonly grants: GrantCounts;
}

/** Rows with these IDs, both included; none if `to` is below `from`. */
export interface IdRange {
  readonly from: number;
  readonly to: number;
}

/** Votes of one site with the same decision. */
export interface VoteSum {
  /** The entry of `sites`. */
  readonly site: string;
  readonly decision: DecisionKind;
  readonly votes: number;
}

/** Grants of one reward. */
export interface RewardSum {
  readonly reward: string;
  readonly grants: number;
  /** Those that are delivered now. */
  readonly delivered: number;
}

/** A recipient with their votes since the beginning. */
export interface TotalOf {
  readonly recipientId: number;
  readonly kind: Recipient['kind'];
  /** As their latest vote spells it; of a user ID, the ID. */
  readonly name: string;
  readonly votes: number;
}

export interface TotalsPage {
  /** Those with the most votes of the recipients that were looked at, the most first. */
  readonly totals: readonly TotalOf[];
  /** The last recipient that was looked at; null: there are no more. */
  readonly upTo: number | null;
}

/** What figures are computed from. Each call takes some ms, if it is asked for some thousand rows at once. */
export interface FigureReader {
  /** A number that changes when any process has changed the ledger. */
  revision(): Promise<number>;
  size(): Promise<LedgerSize>;
  /**
   * For each of these times, the ID of the first vote that was received then or later, or the next ID if there is none. While
   * the clock was set back, votes belong to the times of those around them.
   *
   * @param times ascending.
   */
  firstVotes(times: readonly number[]): Promise<readonly number[]>;
  /** The same for grants and when they were made. */
  firstGrants(times: readonly number[]): Promise<readonly number[]>;
  voteSums(votes: IdRange): Promise<readonly VoteSum[]>;
  /** Changes when votes were decided again, or voided by the operator: their sums are others now. */
  decisionChanges(): Promise<number>;
  rewardSums(grants: IdRange): Promise<readonly RewardSum[]>;
  /** Looks at some thousand recipients after one. */
  totals(after: number, limit: number): Promise<TotalsPage>;
}
