import type { NeverSentCode, NotSentCode, UnknownCode } from './game-server-codes.ts';

/**
 * How one command ended on a game server (rule 5): it was done, it was certainly not done, or nobody knows. The first
 * two cases are divided further by what the server answered.
 */
export type Outcome =
  /** A complete reply came, possibly an empty one, and it does not say that the command failed. */
  | {
      readonly kind: 'delivered';
      readonly reply: string;
      /** If the reply looks like a failure: the entry for `refusedReplies` that would refuse it. */
      readonly doubt?: string;
    }
  /** The server answered that it cannot run this command. */
  | {
      readonly kind: 'refused';
      /** null if Teller itself refused to send the command; `reason` then says why. */
      readonly reply: string | null;
      readonly reason?: NeverSentCode;
    }
  /** The server answered that the player is offline; the grant waits for them. */
  | { readonly kind: 'player-offline'; readonly reply: string }
  /** The command certainly never ran (no connection, no login, nothing sent): retried with backoff. */
  | { readonly kind: 'not-sent'; readonly reason: NotSentCode }
  /** The command was sent, but no complete reply came, so it may have run. The grant is held for the operator. */
  | { readonly kind: 'unknown'; readonly reason: UnknownCode };

export type OutcomeKind = Outcome['kind'];

/** Why a command has no reply. */
export type NoReplyCode = NotSentCode | NeverSentCode | UnknownCode;

/** What the game server answered; null if it did not answer. */
export const replyOf = (outcome: Outcome): string | null => ('reply' in outcome ? outcome.reply : null);

/** Why there is no reply; null if there is one. */
export const noReplyCode = (outcome: Outcome): NoReplyCode | null =>
  'reason' in outcome ? (outcome.reason ?? null) : null;
