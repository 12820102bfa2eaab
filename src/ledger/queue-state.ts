import type { PauseCode } from '../core/game-server-codes.ts';

/** The state of a game server's queue in the process that delivers. */
export interface QueueState {
  /** Why it pauses; null: the game server accepts commands. */
  readonly reason: PauseCode | null;
  readonly since: number;
}
