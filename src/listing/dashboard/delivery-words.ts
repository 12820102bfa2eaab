import { badge, durationText, type Html, html, type Tone } from '../../web/kit.ts';
import type { DeliveryKind } from '../webhooks/delivery-store.ts';
import { type EventState, eventStates } from '../webhooks/event-state.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';

const STATE_TONES: Readonly<Record<EventState, Tone>> = {
  sending: 'busy',
  'will-retry': 'warn',
  delivered: 'good',
  rejected: 'bad',
  'gave-up': 'bad',
};

/** The state of an event, from all its attempts (DO-10). */
export const stateBadge = (state: EventState): Html => badge(eventStates[state].label, STATE_TONES[state]);

const STATUS: Readonly<Record<LoggedDelivery['status'], readonly [string, Tone]>> = {
  delivered: ['Delivered', 'good'],
  retryable: ['Failed', 'warn'],
  permanent: ['Rejected', 'bad'],
  'under-way': ['Sending', 'busy'],
  'cut-off': ['Interrupted', 'idle'],
};

/** How one attempt ended. */
export const statusBadge = ({ status }: Pick<LoggedDelivery, 'status'>): Html => badge(...STATUS[status]);

export const KINDS: Readonly<Record<DeliveryKind, string>> = {
  vote: 'Vote',
  redelivery: 'Redelivery',
  test: 'Test',
  probe: 'Probe',
};

/** Without an answer there is no HTTP status; the reason is shown below (LG-02). */
export const httpText = ({ httpStatus }: Pick<LoggedDelivery, 'httpStatus'>): string | Html =>
  httpStatus === null ? html`<span class="soft">none</span>` : String(httpStatus);

export const durationOf = ({ durationMs }: Pick<LoggedDelivery, 'durationMs'>): string =>
  durationMs === null ? '' : durationMs < 1000 ? `${durationMs} ms` : durationText(durationMs);
