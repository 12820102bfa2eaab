import type { PauseCode } from '../core/game-server-codes.ts';

/** How the queue of a game server stands in the process that delivers. */
export interface QueueState {
  /** Why it pauses; null: the game server takes commands. */
  readonly reason: PauseCode | null;
  readonly since: number;
}
