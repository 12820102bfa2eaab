import type { AnnouncementCode } from './announcement.ts';
import type { CannotTellCode } from './game-server-codes.ts';
import { type NoReplyCode, noReplyCode, type Outcome, replyOf } from './outcome.ts';

/**
 * Why a grant is in its state, if the state alone does not say it. The reason is stored; `src/operator/trace/grant-reasons.ts`
 * turns it into a sentence and says what to do.
 */
export type GrantReason =
  /** The game server answered that it cannot run a command. */
  | { readonly code: 'refused'; readonly facts: { readonly reply: string } }
  /** The game server answered that the player is not online, or the player list lacks them. */
  | { readonly code: 'player-offline'; readonly facts?: { readonly reply: string } }
  /**
   * The operator ordered the payment. `dropped`: how many commands are left out because the reward no longer has them.
   */
  | { readonly code: 'by-operator'; readonly facts?: { readonly dropped: number } }
  /** The reward has a `delay`. `until`: in ms since the Unix epoch. */
  | { readonly code: 'delayed'; readonly facts: { readonly until: number } }
  | { readonly code: PlainGrantCode };

/** The reasons that are a code without facts. */
export type PlainGrantCode =
  | NoReplyCode
  | CannotTellCode
  /** Rule 1: the grant may have been paid between the backup and the restore. */
  | 'restore-doubt'
  /** Rule 4: the vote came while the clock was doubted. */
  | 'clock-doubt'
  /** Rule 6: the process died while it was sending a command. */
  | 'process-ended'
  /** Rule 9: its game server is of another kind now, or gone from the config. */
  | 'other-game-server'
  /** The player's name belongs to another player now. */
  | 'name-taken'
  /** Another listener pays it, beside which this Teller runs. */
  | 'shadow'
  /** The reward has `expiresAfter`. */
  | 'expired'
  /** Nothing of the grant but announcements, which were not sent. */
  | 'stranger'
  | 'too-often'
  | 'ran-by-operator'
  | 'marked-paid'
  | 'cancelled-by-operator';

export type GrantCode = GrantReason['code'];

/** All codes except those for a game server that gave no usable answer. */
export type OwnGrantCode = Exclude<GrantCode, NoReplyCode | CannotTellCode>;

/** Why a command has no reply, or is treated as run without one. Stored beside the reply. */
export type CommandReason =
  | { readonly code: NoReplyCode | 'process-ended' | AnnouncementCode }
  /** `before`: why the command had no reply, until the operator said that it ran. */
  | {
      readonly code: 'ran-by-operator';
      readonly facts?: { readonly before: NoReplyCode | 'process-ended' };
    };

/** The reason for a grant's state after one of its commands ended; null if the state needs no reason. */
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

/** Why a command has no reply; null if its reply says how it ended. */
export function commandReasonAfter(outcome: Outcome): CommandReason | null {
  const code = noReplyCode(outcome);
  return code === null ? null : { code };
}

const answered = (code: 'refused' | 'player-offline', outcome: Outcome): GrantReason => ({
  code,
  facts: { reply: replyOf(outcome) ?? '' },
});
