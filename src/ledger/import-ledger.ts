import type { JudgedArrival } from '../core/decide.ts';
import type { Days, Per } from '../core/period.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { Draws } from '../rewards/draws.ts';
import type { Party, Rules } from '../rewards/reward.ts';

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
  /** Whether values that are stored are replaced by other ones. */
  readonly isReplacing: boolean;
}

export type BalanceWhat =
  | 'total'
  | ('day' | 'week' | 'month')
  | ('run' | 'best-run' | 'week-run' | 'month-run');

/** An earlier import of the same source stored another value. */
export interface BalanceDifference {
  readonly player: string;
  readonly what: BalanceWhat;
  readonly was: number;
  readonly is: number;
  readonly isReplaced: boolean;
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

/** What another plugin owes a player. */
export interface DebtEntry {
  readonly player: PlayerName;
  readonly votes: readonly OwedVote[];
  readonly rewards: readonly OwedReward[];
}

/** A vote that the plugin has not paid. */
export interface OwedVote {
  readonly service: string;
  /** The key of the entry in `sites` that it falls under. */
  readonly site: string;
  /** When it was cast; null: not known. */
  readonly at: number | null;
  readonly draws: Draws;
}

/** Commands that the plugin has not run. */
export interface OwedReward {
  /** What the plugin calls it. */
  readonly what: string;
  /** What the grant has in place of a reward's name. */
  readonly reward: string;
  /** The name of a game server. */
  readonly server: string;
  readonly practice: boolean;
  readonly commands: readonly string[];
}

/** A party, and how many votes have counted for the next one in another plugin. */
export interface PartyEntry {
  readonly party: Party;
  readonly votes: number;
}

/** `counted`: for the next party here. */
export type PartyImported =
  | { readonly kind: 'set'; readonly was: number; readonly counted: number }
  | { readonly kind: 'same'; readonly counted: number }
  /** A party was reached here after the plugin counted. */
  | { readonly kind: 'reached-since' }
  /** The plugin counted in a period of the party that is over. */
  | { readonly kind: 'over' };

export interface ImportLedger {
  /**
   * Records votes of the time before Teller, in one transaction. They take their windows and enter totals and days. Nothing
   * is granted for them: the occasions that they reach are taken, and the operator can give them.
   *
   * @param votes of the channel `import`; a few hundred at most, because others cannot record meanwhile.
   */
  importVotes(votes: readonly JudgedArrival[], order: ImportOrder): Promise<VotesImported>;
  /** @returns the ID of the import. */
  startImport(order: Omit<BalanceOrder, 'importId' | 'rules' | 'isReplacing'>): Promise<number>;
  /**
   * Adds what another plugin counted to the totals of players, in one transaction: as many votes as the plugin states, without
   * those that the ledger has counted until `asOf`. It marks the days of runs. Nothing is granted: what is reached is taken.
   *
   * @param entries a few hundred at most.
   */
  importBalances(entries: readonly BalanceEntry[], order: BalanceOrder): Promise<BalancesImported>;
  /**
   * Creates held grants for what another plugin owes: for a vote, what the rewards give that do not depend on other votes.
   * Nothing is owed twice, however often it is imported.
   *
   * @param entries a few hundred at most.
   * @returns how many grants were created.
   */
  importDebts(entries: readonly DebtEntry[], order: BalanceOrder): Promise<number>;
  /**
   * Lets a party go on from where another plugin was at `asOf`: what it had counted, and the votes here since. The party is not
   * reached by that.
   */
  importParty(entry: PartyEntry, order: BalanceOrder): Promise<PartyImported>;
}
