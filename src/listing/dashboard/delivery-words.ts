import { badge, durationText, type Html, html, type Tone } from '../../web/kit.ts';
import type { DeliveryKind } from '../webhooks/delivery-store.ts';
import { type AttemptState, attemptStates, type EventState, eventStates } from '../webhooks/event-state.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';

const STATE_TONES: Readonly<Record<EventState, Tone>> = {
  sending: 'busy',
  retrying: 'warn',
  delivered: 'good',
  undelivered: 'bad',
  failed: 'bad',
};

/** The state of an event, from all its attempts (DO-10). */
export const stateBadge = (state: EventState): Html => badge(eventStates[state].label, STATE_TONES[state]);

const ATTEMPT_TONES: Readonly<Record<AttemptState, Tone>> = {
  sending: 'busy',
  delivered: 'good',
  failed: 'bad',
  interrupted: 'idle',
};

/** How one attempt ended. */
export const statusBadge = ({ status }: Pick<LoggedDelivery, 'status'>): Html =>
  badge(attemptStates[status].label, ATTEMPT_TONES[status]);

export const KINDS: Readonly<Record<DeliveryKind, string>> = {
  vote: 'Vote',
  redelivery: 'Redelivery',
  test: 'Test',
};

/** Without an answer there is no HTTP status; the reason is shown below (LG-02). */
export const httpText = ({ httpStatus }: Pick<LoggedDelivery, 'httpStatus'>): string | Html =>
  httpStatus === null ? html`<span class="soft">none</span>` : String(httpStatus);

export const durationOf = ({ durationMs }: Pick<LoggedDelivery, 'durationMs'>): string =>
  durationMs === null ? '' : durationMs < 1000 ? `${durationMs} ms` : durationText(durationMs);
