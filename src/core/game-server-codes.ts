/**
 * Why a game server gave no reply to a command, or cannot report who is online. The codes are stored, and scripts rely
 * on them. Their sentences are in `src/delivery/outcomes.ts`.
 */

/**
 * A code that only one kind of game server has: the kind's name, a dot, and what happened. Its sentence is in the
 * kind's file.
 */
export type KindCode = `${string}.${string}`;

/** No part of the command reached the game server. */
export type NotSentCode =
  | 'unreachable'
  | 'host-unknown'
  | 'login-timeout'
  | 'wrong-password'
  | 'closed-at-login'
  | 'closed-after-login'
  | 'not-rcon'
  | 'list-unanswered'
  | 'between-connections'
  | 'http-unreachable'
  | 'http-host-unknown'
  | 'http-tls-failed'
  | 'http-not-let-in'
  | 'http-busy'
  | 'shut-down'
  | KindCode;

/** Teller itself refuses to send the command, because no game server could accept it. */
export type NeverSentCode = 'command-too-long' | 'command-not-one-line' | KindCode;

/** The command may have run. */
export type UnknownCode =
  | 'timeout'
  | 'no-frame'
  | 'closed'
  | 'bad-reply'
  | 'login-lost'
  | 'http-bad-reply'
  | 'http-server-fault'
  | 'http-redirect'
  | 'shut-down'
  | KindCode;

/** The game server answered, but its answer does not show who is online. */
export type CannotTellCode =
  | 'list-not-understood'
  | 'list-does-not-add-up'
  | 'uuid-unknown'
  | 'http-tells-nobody'
  | KindCode;

/** Why the queue of a game server waits. A question about who is online can fail with either kind of code. */
export type PauseCode = NotSentCode | UnknownCode;
