import type { Days } from '../core/period.ts';
import type { PlayerName } from '../core/player-name.ts';
import type { If } from '../rewards/conditions.ts';
import type { Draws } from '../rewards/draws.ts';
import type { PartyPeriod } from '../rewards/party.ts';
import type { Party, Rules, Top } from '../rewards/reward.ts';
import type { Placed, Standing } from '../rewards/standings.ts';

/** A party that enough votes have been cast for, before it is stored who is paid. */
export interface ReachedParty {
  readonly id: number;
  /** The name of its entry. */
  readonly party: string;
  readonly number: number;
  /** Receipt of the vote that reached it. */
  readonly reachedAt: number;
  /** Whether voters who are paid for it are stored already; the others follow. */
  readonly isBegun: boolean;
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

/** What one call stored of those who are paid for a party. */
export interface FixedPortion {
  /** How many grants it created. */
  readonly grants: number;
  /** The vote that the next portion comes after; null: everybody is stored. */
  readonly next: number | null;
}

export interface PlayerTotal {
  /** The player's name in lower case. */
  readonly key: string;
  readonly recipientId: number;
  readonly votes: number;
}

export interface OpenSites {
  /** The player's name in lower case. */
  readonly key: string;
  readonly open: number;
}

/** A part of the votes of a period. */
export interface StandingsPage {
  readonly days: Days;
  /** Which votes count. */
  readonly filter: If;
  /** The IANA name of the time zone in which days begin. */
  readonly zone: string;
  /** Names of players who are left out. */
  readonly exclude: readonly string[];
  /** The last vote of the page before; null for the first page. */
  readonly after: number | null;
}

export interface PageOfStandings {
  /** Each recipient once. */
  readonly standings: readonly Standing[];
  /** The last vote that was looked at. */
  readonly upTo: number;
  readonly isLast: boolean;
  /** Changes when votes were voided, decided again, or moved between players, and when counts were imported. */
  readonly changes: number;
}

/** The places of a period that is over. */
export interface TopOrder {
  readonly top: Top;
  readonly period: number;
  /** When it ended. */
  readonly endedAt: number;
  readonly places: readonly Placed[];
  readonly rules: Rules;
  readonly draws: Draws;
}

/** A place as it was stored. */
export interface SettledPlace extends Omit<Placed, 'recipientId'> {
  /** The recipient's key. */
  readonly recipient: string;
}

/** What players earn together. Only the process that delivers calls this (rule 6). */
export interface TogetherLedger {
  /** Those for which it is not stored yet who is paid, in the order in which they were reached. */
  reachedParties(): Promise<readonly ReachedParty[]>;
  /**
   * Creates the grants of a party, once for each who is paid. Voters are stored in portions; call it until none is left.
   *
   * @param after `next` of the portion before. From 0, it passes over the voters who are stored, so that another process can go on.
   */
  fixParty(order: PartyOrder, after: number, now: number): Promise<FixedPortion>;
  /** Whether votes still have the times of a doubt about the clock that has ended. */
  areVotesMoving(): Promise<boolean>;
  /** Moves the next of them to their final times. */
  moveVotes(): Promise<void>;
  /** The first period of a top that is not settled, up to one of them; null if all are, or while votes are moved. */
  dueTop(top: Pick<Top, 'name' | 'period'>, upTo: number): Promise<number | null>;
  /**
   * Stores the places of a period, once, and creates their grants. Returns how many; null: nothing was stored, because somebody on
   * a place was forgotten since the votes were counted, so they have to be counted again.
   */
  settleTop(order: TopOrder, now: number): Promise<number | null>;
}
