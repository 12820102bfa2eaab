import type { CannotTellCode } from './game-server-codes.ts';
import { type NoReplyCode, type Outcome, replyOf } from './outcome.ts';

/**
 * Why a grant is in its state, where the state alone does not say it. This is stored; `src/trace/grant-reasons.ts` puts
 * it into words and says what to do.
 */
export type GrantReason =
  /** The game server's answer says that it cannot run a command. */
  | { readonly code: 'refused'; readonly facts: { readonly reply: string } }
  /** The game server answered that the player is not there, or its list does not name them. */
  | { readonly code: 'player-offline'; readonly facts?: { readonly reply: string } }
  /** The operator has it paid. `dropped`: so many commands that the reward no longer has are left out. */
  | { readonly code: 'by-operator'; readonly facts?: { readonly dropped: number } }
  | { readonly code: PlainGrantCode };

/** Those without facts. */
export type PlainGrantCode =
  | NoReplyCode
  | CannotTellCode
  /** Rule 1: the ledger that was lost may have paid it. */
  | 'restore-doubt'
  /** Rule 4 */
  | 'clock-doubt'
  /** Rule 6: the process that delivered died while a command was being sent. */
  | 'process-ended'
  /** Rule 9: what it is owed on is of another kind now, or gone from the config. */
  | 'other-game-server'
  | 'ran-by-operator'
  | 'marked-paid'
  | 'cancelled-by-operator';

export type GrantCode = GrantReason['code'];

/** Those that are not a game server's silence. */
export type OwnGrantCode = Exclude<GrantCode, NoReplyCode | CannotTellCode>;

/** Why a command has no reply, or counts as run without one. This is stored beside the reply. */
export type CommandReason =
  | { readonly code: NoReplyCode | 'process-ended' }
  /** `before`: why it had no reply until the operator said that it ran. */
  | { readonly code: 'ran-by-operator'; readonly facts?: { readonly before: NoReplyCode | 'process-ended' } };

export type CommandCode = CommandReason['code'];

/** Why a grant is in its state after one of its commands ended; null where nothing needs to be said. */
export function reasonAfter(outcome: Outcome): GrantReason | null {
  switch (outcome.kind) {
    case 'delivered':
      return null;
    case 'refused':
      return outcome.reason === undefined ? answered('refused', outcome) : { code: outcome.reason };
    case 'player-offline':
      return answered('player-offline', outcome);
    case 'not-sent':
    case 'unknown':
      return { code: outcome.reason };
  }
}

const answered = (code: 'refused' | 'player-offline', outcome: Outcome): GrantReason => ({
  code,
  facts: { reply: replyOf(outcome) ?? '' },
});
