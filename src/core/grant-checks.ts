import type { PlayerCondition } from './player-condition.ts';

/** What the game server is asked before and after the commands of a grant. Stored as JSON. */
export interface GrantChecks {
  readonly payIf: PlayerCondition | null;
  /** Run instead if `payIf` is not met, filled in as other commands are; empty: the grant waits until it is met. */
  readonly orElse: readonly string[];
  readonly verify: Verification | null;
}

/** How to find out whether a command ran whose reply does not say so. */
export interface Verification {
  /** Changes nothing, so that it may be asked more than once. Filled in as other commands are. */
  readonly command: string;
  /** The source of a pattern for its answer; case is ignored. */
  readonly reply: string;
}
