import type { Arrival, Decision, DecisionKind, RewardReasons } from '../core/decide.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import type { MissingClaims } from '../core/missing-claims.ts';
import type { Outcome } from '../core/outcome.ts';
import type { When } from '../core/reward.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Channel, Recipient } from '../core/vote.ts';
import type { RewardedVote } from '../core/window.ts';
import type { ClockHistory, JudgeClock } from './clock-history.ts';
import type { DeepPart } from './damages.ts';
import type { GrantRow } from './grant-row.ts';
import type { OperatorLedger } from './operator-ledger.ts';
import type { QueueState } from './queue-state.ts';
import type { RecoveryLedger } from './recovery-ledger.ts';
import type { SharedWindow, TallyRow } from './service-figures.ts';

export type { DeepPart } from './damages.ts';
export type { CommandRow, GrantRow } from './grant-row.ts';
export type {
  Change,
  Continued,
  OperatorLedger,
  PaymentOrder,
  VoteRewardRefusal,
} from './operator-ledger.ts';
export type { QueueState } from './queue-state.ts';
export type { RecoveryLedger } from './recovery-ledger.ts';
export type { SharedWindow, TallyRow } from './service-figures.ts';

/**
 * The one place where votes and grants are kept. It is asynchronous and free of SQL, so that another engine can
 * implement it. All times are milliseconds since the Unix epoch. A method that cannot store rejects with a Problem
 * (`ledger-locked`, `ledger-full`, `ledger-replaced`, `ledger-failed`) and has changed nothing.
 */
export interface Ledger extends VoteLedger, GrantLedger, OperatorLedger, RecoveryLedger, LedgerReader {
  close(): void;
}

export type Decide = (arrival: Arrival, rewarded: readonly RewardedVote[]) => Decision;

export type Recorded =
  | {
      readonly kind: 'new';
      readonly id: number;
      readonly decision: Decision;
      /** The service whose vote took the window, if it is another one. Services without an entry share one window. */
      readonly sharedWith?: string;
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
   * Records all of them in one transaction, in order, each with the decision of `decide`, and returns the results in
   * the same order. If `judgeClock` doubts the clock, votes are dated by the time that it believes, and their grants
   * are held.
   */
  record(arrivals: readonly Arrival[], decide: Decide, judgeClock?: JudgeClock): Promise<readonly Recorded[]>;
  countRefusals(counts: readonly RefusalCount[]): Promise<void>;
}

export interface OpenCommand {
  readonly position: number;
  /** With `{player}` not replaced yet. */
  readonly text: string;
  readonly attempts: number;
}

/** A grant that may be tried. */
export interface OpenGrant {
  readonly id: number;
  readonly recipientKey: string;
  /** The spelling that the vote used, or null for a recipient without a player name. */
  readonly player: string | null;
  readonly reward: string;
  readonly when: When;
  readonly safeToRunTwice: boolean;
  /** The commands not yet delivered, in order. */
  readonly commands: readonly OpenCommand[];
}

export interface Settlement {
  readonly grantId: number;
  readonly position: number;
  readonly outcome: Outcome;
  readonly state: GrantState;
  readonly reason: GrantReason | null;
  /** It is not tried before this time. */
  readonly dueAt: number;
  readonly endedAt: number;
}

/**
 * Selects the grants that one queue pays: those of a game server, created either while it was a practice server or
 * while it was a real one (rule 9).
 */
export interface QueueKey {
  readonly server: string;
  readonly practice: boolean;
}

/** A player whom grants wait for; the ID is for paging. */
export interface WaitingPlayer {
  readonly recipientId: number;
  readonly player: string;
}

export interface GrantLedger {
  /** Grants in state `pending` that are due, oldest first. */
  pending(queue: QueueKey, now: number, limit: number): Promise<readonly OpenGrant[]>;
  /** Grants in state `waiting` for one of these recipients that are due, oldest first. */
  waiting(
    queue: QueueKey,
    recipientKeys: readonly string[],
    now: number,
    limit: number,
  ): Promise<readonly OpenGrant[]>;
  /** The players that grants wait for, each once, from the one after `afterRecipient` on. */
  waitingFor(queue: QueueKey, limit: number, afterRecipient: number): Promise<readonly WaitingPlayer[]>;
  /** When the next pending grant is due, or null. */
  nextDueAt(queue: QueueKey): Promise<number | null>;
  /**
   * From `pending` to `waiting`; does nothing in any other state. With `dueAt` the grant is not tried before that time,
   * even if it is `waiting` already.
   */
  wait(grantId: number, reason: GrantReason, now: number, dueAt?: number): Promise<void>;
  /** Stores with the waiting grants of a recipient which player is probably meant. */
  storeLikelyPlayer(queue: QueueKey, recipientKey: string, likely: string): Promise<void>;
  /**
   * Stores durably that this command is about to be sent. False if the grant's state has changed: do not send it then.
   */
  claim(
    grantId: number,
    position: number,
    player: string | null,
    now: number,
    uuid?: string | null,
  ): Promise<boolean>;
  settle(settlement: Settlement): Promise<void>;
  /**
   * For the new holder of the lock: the commands that a process was sending when it died are unknown now (rule 6).
   * Returns how many.
   */
  settleInterrupted(now: number): Promise<number>;
  /**
   * Rule 9: holds the open grants whose game server is gone from the config or of another kind now, and stores the
   * kinds. Returns how many.
   *
   * @param kindByServer the kind of each game server; `practice` for all that reach no real player.
   */
  holdOrphaned(kindByServer: ReadonlyMap<string, string>, now: number): Promise<number>;
  /** Why the queue of a game server pauses from now on, so that commands in other processes can say so. */
  storeQueueState(server: string, reason: QueueState['reason'], now: number): Promise<void>;
  /** A number that changes when another process has written. */
  version(): number;
}

export interface VoteFilter {
  readonly id?: number;
  /** A player’s name in any case, or a user ID. */
  readonly recipient?: string;
  /** An entry's key, or a service name as received. */
  readonly site?: string;
  readonly decision?: DecisionKind;
  readonly since?: number;
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
  readonly cooldownMs: number;
  /**
   * A reason for every reward, or only for chances if an older Teller stored the vote; empty if no reward was judged.
   */
  readonly reasons: RewardReasons;
  /** Set if the operator rewarded it later, with the reasons of that decision. */
  readonly operatorRewardedAt: number | null;
  readonly operatorReasons: RewardReasons;
  readonly wire: string;
  readonly repeats: number;
  readonly repeatedAt: number | null;
}

export interface GrantFilter {
  readonly id?: number;
  readonly voteId?: number;
  /** A player’s name in any case, or a user ID. */
  readonly recipient?: string;
  readonly state?: GrantState;
  readonly reward?: string;
  readonly server?: string;
  /** Only those that the operator has redirected to another player. */
  readonly redirected?: true;
  readonly since?: number;
  readonly after?: number;
  readonly limit: number;
}

export interface LedgerReader {
  votes(filter: VoteFilter): Promise<readonly VoteRow[]>;
  grants(filter: GrantFilter): Promise<readonly GrantRow[]>;
  /** Service names seen, the latest vote first. `startOfDay` is the midnight (UTC) that `today` counts from. */
  tallies(startOfDay: number): Promise<readonly TallyRow[]>;
  refusals(since: number): Promise<readonly RefusalCount[]>;
  /** Services under this entry whose votes found the window taken by another service's vote, most votes first. */
  sharedWindows(site: string, since: number, limit: number): Promise<readonly SharedWindow[]>;
  /** Which of these service names a recent v2 vote came under: only holders of our tokens can sign one. */
  signedServices(services: readonly string[]): Promise<ReadonlySet<string>>;
  /** The votes that `decide` would get for a vote of this recipient. */
  rewardedSince(site: string, recipient: Recipient, castAfter: number): Promise<readonly RewardedVote[]>;
  /** Grants by state. */
  grantStates(): Promise<Partial<Record<GrantState, number>>>;
  /** By game server. Servers whose queue had nothing to do since the start are left out. */
  queues(): Promise<ReadonlyMap<string, QueueState>>;
  /** Recipients' keys with `min` to `max` characters, the latest first. */
  recipientKeys(min: number, max: number, limit: number): Promise<readonly string[]>;
  clock(): Promise<ClockHistory>;
  /** How many claims the ledger has lost, according to the mark beside it; null if none. */
  missing(): Promise<MissingClaims | null>;
  /** Reads the whole file with its indexes, which takes a while, and returns what is damaged. */
  damages(onPart?: (part: DeepPart) => Promise<void> | void): Promise<readonly string[]>;
}
