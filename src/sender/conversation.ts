import type { Ending } from './result.ts';

/** What the sender does next. */
export type Step =
  | { readonly kind: 'wait' }
  | { readonly kind: 'write'; readonly bytes: Buffer }
  | { readonly kind: 'end'; readonly ending: Ending };

/** The sender's side of one conversation: bytes and events in, steps out. It has no socket and no clock. */
export interface Conversation {
  push(chunk: Buffer): Step;
  /** The greeting has not arrived in the time allowed for it. */
  greetingOverdue(): Step;
  /** The listener has closed the connection. */
  closed(): Ending;
  /** The time for the whole exchange is over. */
  timedOut(): Ending;
}

export const WAIT: Step = { kind: 'wait' };

export const end = (ending: Ending): Step => ({ kind: 'end', ending });

/** The bytes after the greeting's line. */
export const afterLine = (received: Buffer): Buffer => received.subarray(received.indexOf('\n') + 1);
