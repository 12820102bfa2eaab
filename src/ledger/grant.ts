/** What is known of a grant: its row, what of it is still to be paid, and what the code that pays it reports. */
import type { PlannedGrant } from '../core/decide.ts';
import type { GrantReason } from '../core/grant-reason.ts';
import type { Outcome } from '../core/outcome.ts';
import type { GrantState } from '../core/settlement.ts';
import type { Attempted } from './rows.ts';

/** What a grant was made for. */
export interface GrantCause extends Pick<GrantRow, 'occasion'> {
  /** The ID of its vote; null if it is not for a single vote. */
  readonly vote: number | null;
  /** The service name of that vote. */
  readonly site: string | null;
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

export interface Settlement extends Pick<GrantRow, 'state' | 'reason'> {
  readonly grantId: number;
  /** What `claim` returned, so that a late answer cannot settle a newer attempt. */
  readonly claim: number;
  readonly outcome: Outcome;
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

/** Grants by state; states without any are absent. */
export type GrantCounts = Readonly<Partial<Record<GrantState, number>>>;

/** What a grant is made for: a vote, a reward that the operator gives, a party that was reached or a place in a top. */
export type GrantCauseKind = 'vote' | 'operator' | 'party' | 'top';

/** What an operator did to a grant. `pay`: the same player; `redirect`: another one; `ran`: a command of it counts as run. */
export type GrantActionKind = 'pay' | 'redirect' | 'ran' | 'mark-paid' | 'cancel';

/** One change of a grant by hand. */
export interface GrantActionRow {
  readonly action: GrantActionKind;
  readonly at: number;
  /** The account on this machine, or how someone signed in to the console. */
  readonly by: string;
}

/** Of a command that was not tried, or is being sent, `outcome` is null. */
export interface CommandRow extends Attempted {
  /** With the player filled in. */
  readonly command: string;
  /** The same with `{player}` and `{uuid}` not replaced. */
  readonly text: string;
}

export interface GrantRow
  extends Pick<PlannedGrant, 'reward' | 'occasion' | 'choice' | 'filled' | 'practice'> {
  readonly id: number;
  readonly cause: GrantCauseKind;
  /** null: it was not made for a vote. */
  readonly voteId: number | null;
  /** Set if the operator gave it without a vote: who gave it, and when. */
  readonly given: { readonly by: string; readonly at: number } | null;
  /** The recipient’s key. */
  readonly recipient: string;
  readonly player: string | null;
  /** The game server that pays it, or a pool (`core/pool.ts`) of which none has taken it. */
  readonly server: string;
  /** The pool of which one game server pays it; null: its game server was fixed from the start. */
  readonly pool: string | null;
  readonly state: GrantState;
  readonly reason: GrantReason | null;
  /** Set if the operator redirected it to `player` from the player that its vote names. */
  readonly redirected: { readonly insteadOf: string; readonly at: number } | null;
  /** The end of its delay; null if its reward has none. */
  readonly dueFrom: number | null;
  /** null: never. Pauses since the deliverer last looked may make it later. */
  readonly expiresAt: number | null;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly commands: readonly CommandRow[];
  /** What operators did to it, the first one first. */
  readonly actions: readonly GrantActionRow[];
}

export interface OpenCommand {
  readonly position: number;
  /** With `{player}` not replaced yet. */
  readonly text: string;
  readonly attempts: number;
}

/** A grant that may be tried. */
export interface OpenGrant
  extends Pick<GrantRow, 'id' | 'reward' | 'server' | 'createdAt'>,
    Pick<PlannedGrant, 'when' | 'safeToRunTwice' | 'announcement'> {
  /** The name that it is paid to, in lower case, or a user ID. */
  readonly recipientKey: string;
  /** The spelling that the vote or, after a rename, the game server used; null for a recipient without a player name. */
  readonly player: string | null;
  /** Its player's name belongs to another player now, so it must be held. */
  readonly isNameTaken: boolean;
  /** The commands not yet delivered, in order. */
  readonly commands: readonly OpenCommand[];
}

/**
 * Selects the grants that one queue pays: those of a game server, created either while it was a practice server or
 * while it was a real one (rule 9). What is read also has those of its pools that no game server has taken.
 */
export interface QueueKey {
  readonly server: string;
  readonly practice: boolean;
}
