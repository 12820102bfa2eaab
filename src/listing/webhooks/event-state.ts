import type { Outcome } from '../../notify/webhook/outcome.ts';
import type { StoredEvent } from './delivery-store.ts';

/** The state of an event after all its attempts, or of a test. The label is the code in words, everywhere. */
export const eventStates = {
  sending: { label: 'Sending', means: 'waits for the answer to its first attempt' },
  retrying: { label: 'Retrying', means: 'an attempt failed; it is sent again at the time shown' },
  delivered: { label: 'Delivered', means: 'the receiver answered 2xx' },
  undelivered: {
    label: 'Undelivered',
    means:
      'the receiver answered 4xx, every retry failed, or the webhook was paused or disabled; it is not sent again',
  },
  failed: { label: 'Failed', means: 'a test that was not answered with 2xx; tests are sent once' },
} as const satisfies Record<string, { readonly label: string; readonly means: string }>;

export type EventState = keyof typeof eventStates;

/** @param last the outcome of the latest attempt that has one. */
export function eventStateOf(stored: StoredEvent['state'], last: Outcome | null): EventState {
  if (stored !== 'pending') return stored;
  return last === null ? 'sending' : 'retrying';
}

/** The state of one attempt. An attempt that was cut off says nothing about the receiver. */
export const attemptStates = {
  sending: { label: 'Sending' },
  delivered: { label: 'Delivered' },
  failed: { label: 'Failed' },
  interrupted: { label: 'Interrupted' },
} as const;

export type AttemptState = keyof typeof attemptStates;

export function attemptStateOf(outcome: Outcome | null, isOver: boolean): AttemptState {
  if (outcome !== null) return outcome === 'delivered' ? 'delivered' : 'failed';
  return isOver ? 'interrupted' : 'sending';
}

/** Tests are sent once and never retried. */
export function testStateOf(attempt: AttemptState): EventState {
  return attempt === 'interrupted' ? 'failed' : attempt;
}
