import type { CannotTellCode, NotSentCode, PauseCode } from '../core/game-server-codes.ts';
import type { Outcome } from '../core/outcome.ts';

/** Who is on a game server, as far as its list tells. Never guessed: a list that does not add up is no list. */
export type Presence =
  | {
      readonly kind: 'known';
      /** Everybody who is there, in the spelling that the server shows. */
      readonly names: readonly string[];
      /** By name in lower case; absent where the server does not tell. */
      readonly uuids?: ReadonlyMap<string, string>;
    }
  /** Each of `wanted` had to be asked for: those of them who are there, spelt as asked. It says nothing of others. */
  | { readonly kind: 'asked'; readonly names: readonly string[] }
  /** The server answered, but not so that it can be relied on. */
  | { readonly kind: 'cannot-tell'; readonly reason: CannotTellCode }
  /** No answer came. */
  | { readonly kind: 'unreachable'; readonly reason: PauseCode };

/** Whether a command could be written now. */
export type Opening =
  | { readonly kind: 'open' }
  /** It could not be reached; it is left alone for `restMs` before the next attempt. */
  | { readonly kind: 'resting'; readonly reason: NotSentCode; readonly restMs: number };

/** What delivery needs of a game server, whatever its kind. One command at a time: a second call waits its turn. */
export interface GameServer {
  /**
   * Waits until the pause after the last command is over, so that what is looked up next is not old when a command is
   * written; connects where there is no connection and its rest is over. Never rejects.
   */
  open(): Promise<Opening>;
  /**
   * Like `open`, and the connection has answered something in the last seconds: a harmless question is asked where it
   * has not. Called before a command is claimed, so that a dead connection costs no attempt and a command is not claimed
   * long before it is written. Never rejects.
   */
  ready(): Promise<Opening>;
  /**
   * Runs one command line and says how it ended. Never rejects.
   *
   * @param template the command with its player still open; without it, the command is taken to name the player.
   */
  run(command: string, template?: string): Promise<Outcome>;
  /**
   * Who is online. `wanted` are the names waited for: where the list cannot be relied on, a server that knows
   * `execute if entity` is asked for each of them. Never rejects.
   */
  presence(wanted: readonly string[]): Promise<Presence>;
  /** Makes a player join, where a practice server can. @returns whether they were away until now. */
  join?(player: string): boolean;
  /** Ends the connection; a command in flight ends as `unknown`, later ones as `not-sent`. */
  close(): Promise<void>;
}
