import type { CannotTellCode, NotSentCode, PauseCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';
import type { ShownPlayers } from '../core/shown-players.ts';
import type { GrantCause } from '../ledger/ledger.ts';

/** Who is on a game server, as it reports. Never guessed: a list whose names do not match its count is not used. */
export type Presence =
  /** All players who are online. */
  | (ShownPlayers & { readonly kind: 'known' })
  /** The server had to be asked for each of `wanted`: those who are online, spelled as asked. Others are not known. */
  | { readonly kind: 'asked'; readonly names: readonly string[] }
  /** The server answered, but the answer does not say who is online. */
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellCode }
  /** No answer came. */
  | { readonly kind: 'unreachable'; readonly reason: PauseCode };

/** No player has this name: a server that is asked about them, and answers no, can be asked about any player. */
export const NOBODY = 'Teller_check';

/** Whether a command can be sent now. */
export type Opening =
  | { readonly kind: 'open' }
  /** It could not be reached; the next attempt to connect is `restMs` away. */
  | { readonly kind: 'resting'; readonly reason: NotSentCode; readonly restMs: number };

/** The answer to a question that changes nothing. */
export type Answered =
  | { readonly kind: 'reply'; readonly text: string }
  | { readonly kind: 'unanswered'; readonly reason: PauseCode };

/** What a command is run for. */
export interface CommandAbout extends GrantCause {
  /** The ID of its grant. */
  readonly grant: number;
  /** Its place in the grant, from 0 on. */
  readonly position: number;
  readonly reward: string;
  /** null for a user ID. */
  readonly player: string | null;
  /** null if no game server has shown it. */
  readonly uuid: string | null;
  /** 1 the first time that it is sent. */
  readonly attempt: number;
}

/** What delivery needs of a game server of any kind. One command at a time: a second call waits for the first. */
export interface GameServer {
  /**
   * Waits until the pause after the last command is over, so that an answer about who is online is still fresh when a
   * command is sent. Connects if there is no connection and no backoff after a failure. Never rejects.
   */
  open(): Promise<Opening>;
  /**
   * Like `open`, and makes sure that the connection has answered in the last seconds, with a harmless question if
   * necessary. Called before a command is claimed, so that a dead connection costs no attempt and a command is not
   * claimed long before it is sent. Never rejects.
   */
  ready(): Promise<Opening>;
  /** Whether `run` would write a command at once: no pause is left, and a connection that answered lately is open. */
  sendsAtOnce(): boolean;
  /**
   * Runs one command line and says how it ended. Never rejects.
   *
   * @param template the command with its player not filled in; without it, the command counts as naming the player.
   * @param about only where `tellsAbout` is true; absent for a command that the operator tries.
   */
  run(command: string, template?: string, about?: CommandAbout): Promise<Outcome>;
  /** Whether it passes on what a command is run for. */
  readonly tellsAbout?: true;
  /** Runs a command that changes nothing, possibly twice, and returns the whole reply. Never rejects. */
  ask(question: string): Promise<Answered>;
  /**
   * Who is online. `wanted` are the names that grants wait for: if the list cannot be relied on, a server that knows
   * `execute if entity` is asked for each of them. Never rejects.
   */
  presence(wanted: readonly string[]): Promise<Presence>;
  /**
   * Makes a player join; only practice servers with `autoJoin` can.
   *
   * @returns whether the player was offline until now.
   */
  join?(player: string): boolean;
  /** When it is tried again, in monotonic time, which may be past; absent or null: the last try did not fail. */
  readonly retryAt?: number | null;
  /** Ends the connection; a command in flight ends as `unknown`, later ones as `not-sent`. */
  close(): Promise<void>;
}
