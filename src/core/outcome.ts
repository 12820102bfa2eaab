import type { NeverSentCode, NotSentCode, UnknownCode } from './game-server-codes.ts';

/**
 * How one command ended on a game server (rule 5). An effect on another machine has three ends: done, certainly
 * not done, and unknown; the first two are told apart further by what the server answered.
 */
export type Outcome =
  /** A complete reply came and nothing in it says no. An empty reply counts: it says the command was taken. */
  | {
      readonly kind: 'delivered';
      readonly reply: string;
      /** Where the reply looks like a failure: the entry for `refusedReplies` that would refuse it. */
      readonly doubt?: string;
    }
  /** The server answered that it cannot run this command. */
  | {
      readonly kind: 'refused';
      /** null where Teller itself refused to send the command; `reason` then says why. */
      readonly reply: string | null;
      readonly reason?: NeverSentCode;
    }
  /** The server answered that the player is not there; the grant waits for them. */
  | { readonly kind: 'player-offline'; readonly reply: string }
  /** The command certainly never ran (no connection, no login, nothing written): retried with backoff. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentCode }
  /** It was written and no complete reply came: it may have run. Held for the operator. */
  | { readonly kind: 'unknown'; readonly reason: UnknownCode };

export type OutcomeKind = Outcome['kind'];

/** Why a command has no reply. */
export type NoReplyCode = NotSentCode | NeverSentCode | UnknownCode;

/** What the game server answered; null where it did not. */
export const replyOf = (outcome: Outcome): string | null => ('reply' in outcome ? outcome.reply : null);

/** Why there is no reply; null where there is one. */
export const noReplyCode = (outcome: Outcome): NoReplyCode | null =>
  'reason' in outcome ? (outcome.reason ?? null) : null;
