import type { PlayerName } from '../core/player-name.ts';
import type { Draws } from '../rewards/draws.ts';
import type { PartyPeriod } from '../rewards/party.ts';
import type { Party, Rules } from '../rewards/reward.ts';

/** A party that enough votes have been cast for, before it is stored who is paid. */
export interface ReachedParty {
  readonly id: number;
  /** The name of its entry. */
  readonly party: string;
  readonly number: number;
  /** Receipt of the vote that reached it. */
  readonly reachedAt: number;
}

/** How far a party is. */
export interface PartyProgress extends PartyPeriod {
  /** The name of its entry. */
  readonly party: string;
  /** Of the party that is reached next. */
  readonly number: number;
  readonly counted: number;
}

/** A player who is online on a game server. */
export interface PresentPlayer {
  readonly player: PlayerName;
  readonly server: string;
}

/** Who is paid for a party that was reached. */
export interface PartyOrder {
  readonly id: number;
  readonly party: Party;
  /** These, each on the game server where they are; null: the voters, or whoever the party is for. */
  readonly present: readonly PresentPlayer[] | null;
  readonly rules: Rules;
  readonly draws: Draws;
}

/** What players earn together. Only the process that delivers calls this (rule 6). */
export interface TogetherLedger {
  /** Those for which it is not stored yet who is paid, in the order in which they were reached. */
  reachedParties(): Promise<readonly ReachedParty[]>;
  /** Creates the grants of a party, once. Returns how many. */
  fixParty(order: PartyOrder, now: number): Promise<number>;
}
