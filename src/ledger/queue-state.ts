/** How the queue of a game server stands in the process that delivers. */
export interface QueueState {
  /** Why it pauses, a code of `reasons.ts`; null: the game server takes commands. */
  readonly reason: string | null;
  readonly since: number;
}
