import type { ClockReading } from '../core/clock-reading.ts';
import type { WindowDecision } from '../core/decide.ts';
import type { Arrival } from '../rewards/reward.ts';

/** What a sender and the log are told of a decision; the ledger has the rest. */
export type RecordedDecision = WindowDecision & {
  /** The rewards that were granted, once for each grant. */
  readonly rewards: readonly string[];
};

export type Recorded =
  | {
      readonly kind: 'new';
      readonly id: number;
      readonly decision: RecordedDecision;
      /** The service whose vote took the window, if it is another one. Services without an entry share one window. */
      readonly sharedWith?: string;
      /** Another listener pays it. */
      readonly isPaidElsewhere?: true;
      /** It is forwarded to another listener. */
      readonly isForwarded?: true;
    }
  /** The same vote had been recorded before (rule 2). */
  | { readonly kind: 'same'; readonly id: number };

/** A refusal as it is counted, not stored one by one. */
export interface RefusalCount {
  readonly code: string;
  /** The service name as received, without surrounding white space; null if none was read. */
  readonly service: string | null;
  readonly sender: string;
  readonly count: number;
  readonly lastAt: number;
}

export interface VoteLedger {
  /**
   * Decides about a vote by its rules and records both. Votes are recorded in the order of the calls; those of the same
   * moment share one transaction.
   *
   * @param reading the clock, which is then judged (rule 4). If it is doubted, the vote is dated by the time that is
   * believed, and its grants are held. null: the clock is not judged.
   */
  record(arrival: Arrival, reading: ClockReading | null): Promise<Recorded>;
  countRefusals(counts: readonly RefusalCount[]): Promise<void>;
}
