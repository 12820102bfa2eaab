import type { JudgedArrival } from '../core/decide.ts';
import type { Rules } from '../rewards/reward.ts';

/** One import. All of its portions have the same. */
export interface ImportOrder {
  /** What it reads and who ordered it, such as `votes by ann`. */
  readonly by: string;
  /** Those in force: what they would have granted counts as reached elsewhere. */
  readonly rules: Rules;
  /** When it began. */
  readonly now: number;
}

/** What became of imported votes. */
export interface VotesImported {
  /** Votes that are in totals now. */
  readonly counted: number;
  /** Votes that are stored and in no total, such as those within the window of another one. */
  readonly uncounted: number;
  /** Votes that the ledger had already (rule 2). */
  readonly same: number;
  /** Votes that were cast after the first one that was received here for their service: from then on, the ledger has them. */
  readonly receivedHere: number;
  /** Occasions that were recorded as reached elsewhere. */
  readonly passed: number;
}

export interface ImportLedger {
  /**
   * Records votes of the time before Teller, in one transaction. They take their windows and enter totals and days. Nothing
   * is granted for them: the occasions that they reach are taken, and the operator can give them.
   *
   * @param votes of the channel `import`; a few hundred at most, because others cannot record meanwhile.
   */
  importVotes(votes: readonly JudgedArrival[], order: ImportOrder): Promise<VotesImported>;
}
