import type { Decision } from '../core/decide.ts';
import type { MissingClaims } from '../core/missing-claims.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Recipient } from '../core/vote.ts';
import type { Arrival, Top } from '../rewards/reward.ts';
import type { ClockHistory } from './clock-history.ts';
import type { EventReader } from './event-ledger.ts';
import type { FigureReader } from './figure-reader.ts';
import type { GrantCounts, GrantRow } from './grant-row.ts';
import type { PracticeVotes } from './operator-ledger.ts';
import type { PauseReader } from './pause-reader.ts';
import type { PlayerReader } from './player-ledger.ts';
import type { QueueLength, QueueState } from './queue-state.ts';
import type { PageOfReceipts, ReceiptsPage } from './receipts.ts';
import type { RunReader } from './run-ledger.ts';
import type { SharedWindow, TallyRow } from './service-figures.ts';
import type { StuckReader } from './stuck-reader.ts';
import type {
  OpenSites,
  PageOfStandings,
  PartyProgress,
  PlayerTotal,
  SettledPlace,
  StandingsPage,
} from './together-ledger.ts';
import type { WaitingVotes } from './unlisted-ledger.ts';
import type { RefusalCount } from './vote-ledger.ts';
import type { VoteFilter, VotePage, VoteRow } from './vote-row.ts';

/** A part of the ledger, and how much of the whole is before it, from 0 to 1. */
export interface DeepPart {
  /** The name of a table; empty for the structure of the file. */
  readonly table: string;
  readonly share: number;
}

/** Some recipients, in the order of their IDs, whose counts were compared with their votes. */
export interface CountsPage {
  /** Those with wrong ones. */
  readonly recipients: readonly number[];
  /** The last one that was compared. */
  readonly upTo: number;
  /** How much of the whole is done, from 0 to 1. */
  readonly share: number;
  readonly isLast: boolean;
}

/** Whether the grants of votes are wanted, or only why each reward is granted or not: making grants is a quarter of the work. */
export type WantedOfVotes = 'grants' | 'reasons';

export interface GrantFilter {
  readonly id?: number;
  readonly ids?: readonly number[];
  readonly voteId?: number;
  /** A player’s name in any case, or a user ID. */
  readonly recipient?: string;
  readonly state?: GrantState;
  readonly reward?: string;
  readonly server?: string;
  /** Only those that the operator gave without a vote. */
  readonly given?: true;
  /** Only those that were earned together with others. */
  readonly together?: true;
  /** Only those that the operator has redirected to another player. */
  readonly redirected?: true;
  readonly since?: number;
  readonly after?: number;
  readonly limit: number;
}

export interface LedgerReader
  extends PauseReader,
    PlayerReader,
    FigureReader,
    StuckReader,
    EventReader,
    RunReader {
  votes(filter: VoteFilter): Promise<readonly VoteRow[]>;
  /** The same, but ends when so many votes were looked at: to look at some thousand takes some ms, whatever is asked for. */
  votePage(filter: VoteFilter, lookAt: number): Promise<VotePage>;
  /** How many grants in each state these votes were given; votes without any are left out. */
  grantsOfVotes(ids: readonly number[]): Promise<ReadonlyMap<number, GrantCounts>>;
  grants(filter: GrantFilter): Promise<readonly GrantRow[]>;
  /** Service names seen, the latest vote first. `startOfDay` is the midnight (UTC) that `today` counts from. */
  tallies(startOfDay: number): Promise<readonly TallyRow[]>;
  /** Votes that were cast since a time and would be paid if their service got an entry in `sites`, by service. */
  practiceVotes(): Promise<PracticeVotes>;
  waitingVotes(since: number): Promise<readonly WaitingVotes[]>;
  receipts(page: ReceiptsPage): Promise<PageOfReceipts>;
  refusals(since: number): Promise<readonly RefusalCount[]>;
  /** Services under this entry whose votes found the window taken by another service's vote, most votes first. */
  sharedWindows(site: string, since: number, limit: number): Promise<readonly SharedWindow[]>;
  /** Which of these service names a recent v2 vote came under: only holders of our tokens can sign one. */
  signedServices(services: readonly string[]): Promise<ReadonlySet<string>>;
  /** What would be decided about each of these votes if it were recorded now, and no other. */
  judge(arrivals: readonly Arrival[], wanted: WantedOfVotes): Promise<readonly Decision[]>;
  /** Grants by state. */
  grantStates(): Promise<GrantCounts>;
  /** By game server. Servers whose queue had nothing to do since the start are left out. */
  queues(): Promise<ReadonlyMap<string, QueueState>>;
  /** How many grants are not done, each number up to a limit: to count some thousand takes some ms. */
  queueLengths(limit: number): Promise<readonly QueueLength[]>;
  /** The IANA name of the time zone in which days begin. */
  timeZone(): Promise<string>;
  clock(): Promise<ClockHistory>;
  /** How many claims the ledger has lost, according to the mark beside it; null if none. */
  missing(): Promise<MissingClaims | null>;
  /** The parts of which a check of everything consists, in order. */
  deepParts(): Promise<readonly DeepPart[]>;
  /** Reads one part with its indexes, which takes seconds for each million votes, and returns what is damaged. */
  damagesIn(part: DeepPart): Promise<readonly string[]>;
  /** Compares the kept counts of the next recipients after an ID with their votes. */
  wrongCounts(after: number): Promise<CountsPage>;
  /** Compares the totals of the network with all votes, which takes a second for some million votes. */
  isNetworkCountWrong(): Promise<boolean>;
  /** The IDs of the parties whose count is not that of the votes since the last one. */
  wrongParties(): Promise<readonly number[]>;
  /** How far each party is that a vote has ever counted for. */
  partyProgress(): Promise<readonly PartyProgress[]>;
  /** How many votes each recipient has in some days, a part of the votes at a time, so that a call takes some ms. */
  standings(page: StandingsPage): Promise<PageOfStandings>;
  /**
   * The totals of players, by their names in lower case; those who never voted are left out.
   *
   * @param kind 'user': of user IDs.
   */
  playerTotals(keys: readonly string[], kind?: Recipient['kind']): Promise<readonly PlayerTotal[]>;
  /** On how many of these services each of these players may vote now, by their names in lower case. */
  openSites(keys: readonly string[], services: readonly string[], now: number): Promise<readonly OpenSites[]>;
  /**
   * When a player, by their name in lower case, may vote again on each of these services, in order; null: now. Of a name
   * that never voted, null for all.
   */
  windowEnds(key: string, services: readonly string[], now: number): Promise<readonly (number | null)[]>;
  /** The places of a period of a top, the best first; null if it is not settled. */
  settledPlaces(top: Pick<Top, 'name' | 'period'>, period: number): Promise<readonly SettledPlace[] | null>;
}
