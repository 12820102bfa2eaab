import type { JudgedArrival } from '../core/decide.ts';
import type { Days, Per } from '../core/period.ts';
import type { PlayerName } from '../core/player-name.ts';
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

/** What another plugin counted for a player, as far as the ledger keeps it. */
export interface BalanceEntry {
  readonly player: PlayerName;
  /** From 0; of the periods that the plugin was in at `asOf`. null: not known. */
  readonly totals: Readonly<Record<'all' | 'day' | 'week' | 'month', number | null>>;
  /** As the plugin knows it; null: it does not. A hint only. */
  readonly uuid: string | null;
  /** The days, weeks and months in a row that were in progress, each from the first to the last; null if there were none. */
  readonly runs: Readonly<Record<Per, Days | null>>;
  /** How many days the longest run has; null: not known. */
  readonly bestRun: number | null;
}

export interface BalanceOrder extends ImportOrder {
  /** Such as `votingplugin`. */
  readonly source: string;
  /** When the plugin last counted, in ms since the Unix epoch. */
  readonly asOf: number;
  /** As `startImport` returned it. */
  readonly importId: number;
}

export type BalanceWhat =
  | 'total'
  | ('day' | 'week' | 'month')
  | ('run' | 'best-run' | 'week-run' | 'month-run');

/** An earlier import of the same source stored another value, which stays. */
export interface BalanceDifference {
  readonly player: string;
  readonly what: BalanceWhat;
  readonly was: number;
  readonly is: number;
}

export interface BalancesImported {
  /** Players for whom something was stored. */
  readonly stored: number;
  /** Players for whom everything was stored already. */
  readonly same: number;
  readonly differences: readonly BalanceDifference[];
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
  /** @returns the ID of the import. */
  startImport(order: Pick<BalanceOrder, 'source' | 'asOf'>): Promise<number>;
  /**
   * Adds what another plugin counted to the totals of players, in one transaction: as many votes as the plugin states, without
   * those that the ledger has counted until `asOf`. It marks the days of runs. Nothing is granted: what is reached is taken.
   *
   * @param entries a few hundred at most.
   */
  importBalances(entries: readonly BalanceEntry[], order: BalanceOrder): Promise<BalancesImported>;
}
