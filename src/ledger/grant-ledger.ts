import type { GrantReason } from '../core/grant-reason.ts';
import type { Outcome } from '../core/outcome.ts';
import type { GrantState } from '../core/settlement.ts';
import type { AnnouncingLedger } from './announcing-ledger.ts';
import type { OpenGrant, QueueKey } from './open-grant.ts';
import type { PauseReader } from './pause-reader.ts';
import type { PlayerLedger } from './player-ledger.ts';
import type { QueueState } from './queue-state.ts';

/** What a grant was made for. */
export interface GrantCause {
  /** The ID of its vote; null if it is not for a single vote. */
  readonly vote: number | null;
  /** The service name of that vote. */
  readonly site: string | null;
  /** Empty if its reward does not depend on history. */
  readonly occasion: string;
}

/** Says that a command is about to be sent. */
export interface CommandClaim {
  readonly grantId: number;
  readonly position: number;
  /** The spelling to use, or null for a recipient without a player name. */
  readonly player: string | null;
  /** What {uuid} stands for; null if it is not known. */
  readonly uuid: string | null;
  readonly now: number;
  /** The command as it will be sent, but for the player, if that is not what is stored. */
  readonly text?: string;
  /** For a grant of a pool: the game server takes it, unless another one has. */
  readonly take?: { readonly pool: string; readonly server: string };
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
  /** Nothing of the grant can have run: any game server of its pool may take it again. */
  readonly startsOver?: true;
}

/** A grant that begins to wait; `server` as it was read. */
export type WaitingGrant = Pick<OpenGrant, 'id' | 'server'>;

/** A player whom grants wait for; the ID is for paging. */
export interface WaitingPlayer {
  readonly recipientId: number;
  readonly player: string;
  /** Their other names, in lower case; nearly always empty. */
  readonly otherNames: readonly string[];
}

/** Selects the next `limit` pending grants of a queue, from the one with ID `from` on. */
export interface PendingPage {
  readonly from: number;
  readonly limit: number;
}

/** What one call of `holdOrphaned` has done. */
export interface HeldPortion {
  readonly held: number;
  /** The `upTo` of the next call; null if there is nothing left to hold. */
  readonly upTo: number | null;
}

/** A waiting grant's player, by name in lower case, and the player who is probably meant. */
export interface LikelyPlayer {
  readonly recipientKey: string;
  readonly likely: string;
}

/** What one call of `applyTerms` has done. */
export interface AppliedTerms {
  /** Delays that ended. */
  readonly ended: number;
  readonly expired: number;
  /** Whether there is more to do at once. */
  readonly hasMore: boolean;
}

export interface GrantLedger extends AnnouncingLedger, PauseReader, PlayerLedger {
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
  /** What a grant was made for; null if it is gone. */
  causeOf(grantId: number): Promise<GrantCause | null>;
  /** When the next pending grant is due, or null. Those that have expired are left out. */
  nextDueAt(queue: QueueKey, now: number): Promise<number | null>;
  /**
   * From `pending` to `waiting`; does nothing in any other state, or if another game server than `server` has taken the
   * grant. With `dueAt` the grant is not tried before that time, even if it is `waiting` already.
   */
  wait(grant: WaitingGrant, reason: GrantReason, now: number, dueAt?: number): Promise<void>;
  /**
   * Sets many grants from `pending` to `waiting` in one transaction: those of a page that are due, have
   * `"when": "online"` and are not for one of the recipients in `present`. The page is of one game server or of one pool.
   * Returns the names of their players, as voted.
   */
  waitForAbsent(
    queue: QueueKey,
    page: PendingPage,
    present: readonly string[],
    reason: GrantReason,
    now: number,
  ): Promise<readonly string[]>;
  /** Stores with the waiting grants of these players which player is probably meant. */
  storeLikelyPlayers(queue: QueueKey, players: readonly LikelyPlayer[]): Promise<void>;
  /**
   * Stores durably that this command is about to be sent. False if the grant's state has changed: do not send it then.
   */
  claim(claim: CommandClaim): Promise<boolean>;
  /**
   * Stores the outcome of a command that is being sent; changes nothing if it is not being sent. With `next`, the next
   * command is claimed in the same transaction. Returns whether it is.
   */
  settle(settlement: Settlement, next?: CommandClaim): Promise<boolean>;
  /**
   * Tries to become the only process that delivers (rule 6); it stays that until `stopDelivering`, or until it ends.
   * False if another process delivers. Rejects with `data-unwritable`.
   */
  startDelivering(): Promise<boolean>;
  /** Lets another process deliver. */
  stopDelivering(): Promise<void>;
  /**
   * The commands that no process sends any more are unknown now (rule 6). Returns how many.
   *
   * @param of only commands on these game servers; absent: on all.
   */
  settleInterrupted(now: number, of?: readonly string[]): Promise<number>;
  /**
   * Rule 9: holds open grants whose game server is gone from the config or of another kind now. Each call holds some
   * hundred, so that votes do not wait for all of them; the last one stores the kinds.
   *
   * @param kindByServer the kind of each game server; `practice` for all that reach no real player.
   * @param upTo from the call before: grants that are created meanwhile belong to the game servers of this config.
   */
  holdOrphaned(kindByServer: ReadonlyMap<string, string>, now: number, upTo?: number): Promise<HeldPortion>;
  /** Whether a delay is over or a grant may have expired, on any game server. False while the clock is doubted. */
  hasTermsDue(now: number): Promise<boolean>;
  /**
   * Sets grants to `pending` whose delay is over, and cancels those that have waited for longer than they may, less the time
   * spent in pauses. Each call changes some hundred, so that votes do not wait for all of them.
   */
  applyTerms(now: number): Promise<AppliedTerms>;
  /** Why the queue of a game server pauses from now on, so that commands in other processes can say so. */
  storeQueueState(server: string, reason: QueueState['reason'], now: number): Promise<void>;
  /** A number that changes when another process has written. */
  version(): Promise<number>;
}
