import type { PauseCode } from '../core/game-server-codes.ts';

/** The state of a game server's queue in the process that delivers. */
export interface QueueState {
  /** Why it waits; null: the game server accepts commands. */
  readonly reason: PauseCode | null;
  readonly since: number;
}

/** Grants that are not done, of one game server or of a pool of which none has taken them. */
export interface QueueLength {
  readonly server: string;
  readonly pending: number;
  readonly waiting: number;
  readonly held: number;
  readonly refused: number;
}
