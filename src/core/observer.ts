import type { DecisionKind } from './decide.ts';
import type { OutcomeKind } from './outcome.ts';
import type { Vote } from './vote.ts';

/**
 * Is called when something happens in a running Teller that is worth counting. On the main thread, for each vote and each
 * command, so every call has to be cheap.
 */
export interface Observer {
  /** A vote is on disk. `known`: it was already. */
  recorded(vote: Vote, decision: DecisionKind | 'known'): void;
  /** A vote of the listener is answered ok, this long after it had arrived. */
  answered(ms: number): void;
  refused(code: string): void;
  /** A command has ended. */
  ended(server: string, outcome: OutcomeKind): void;
  /** A grant is paid, this long after it was granted. */
  paid(ms: number): void;
}

export const NO_OBSERVER: Observer = {
  recorded: () => {},
  answered: () => {},
  refused: () => {},
  ended: () => {},
  paid: () => {},
};
