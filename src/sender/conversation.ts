import type { Ending } from './result.ts';

/** What the sender does next. */
export type Step =
  | { readonly kind: 'wait' }
  | { readonly kind: 'write'; readonly bytes: Buffer }
  | { readonly kind: 'end'; readonly ending: Ending };

/** One vote's side of the talk with a listener: bytes and events in, steps out. It knows no socket and no clock. */
export interface Conversation {
  push(chunk: Buffer): Step;
  /** The listener has been silent for as long as a greeting is worth waiting for. */
  greetingOverdue(): Step;
  /** The listener has closed the connection. */
  closed(): Ending;
  /** The time for the whole exchange is up. */
  late(): Ending;
}

export const WAIT: Step = { kind: 'wait' };

export const end = (ending: Ending): Step => ({ kind: 'end', ending });

/** What follows the greeting's line. */
export const afterLine = (received: Buffer): Buffer => received.subarray(received.indexOf('\n') + 1);
