import type { Outcome } from '../../notify/webhook/outcome.ts';
import type { StoredEvent } from './delivery-store.ts';

/** The state of an event, after all its attempts. The label is used everywhere. */
export const eventStates = {
  sending: { label: 'Sending', means: 'waits for the answer to its first attempt' },
  'will-retry': { label: 'Will retry', means: 'an attempt failed; it is sent again at the time shown' },
  delivered: { label: 'Delivered', means: 'the receiver answered 2xx' },
  rejected: { label: 'Rejected', means: 'the receiver answered 4xx; it is not sent again' },
  'gave-up': {
    label: 'Gave up',
    means: 'every retry failed, or the webhook was paused or disabled; it is not sent again',
  },
} as const satisfies Record<string, { readonly label: string; readonly means: string }>;

export type EventState = keyof typeof eventStates;

/** @param last the outcome of the latest attempt that has one. */
export function eventStateOf(stored: StoredEvent['state'], last: Outcome | null): EventState {
  if (stored === 'delivered') return 'delivered';
  if (stored === 'pending') return last === null ? 'sending' : 'will-retry';
  return last === 'permanent' ? 'rejected' : 'gave-up';
}

/** Tests and probes are sent once and never retried. */
export function trialStateOf(outcome: Outcome | null, isOver: boolean): EventState {
  if (outcome === 'delivered') return 'delivered';
  if (outcome === 'permanent') return 'rejected';
  return isOver ? 'gave-up' : 'sending';
}
