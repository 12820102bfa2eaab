import type { JudgedArrival } from '../core/decide.ts';
import type { Draws } from './draws.ts';
import type { Rules } from './reward.ts';

/** A vote with everything that the decision on it depends on, except for the ledger. Plain values. */
export interface Arrival extends JudgedArrival {
  /** Kept with the vote, so that a second try to store it grants the same rewards. */
  readonly draws: Draws;
  /** Those in force when the vote arrived; all votes that arrive under one config share the same object. */
  readonly rules: Rules;
  /** What is forwarded to the targets of the rules; absent: the vote is not. */
  readonly forward?: string;
}
