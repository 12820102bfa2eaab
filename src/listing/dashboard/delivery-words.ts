import { badge, durationText, type Html, html, type Tone } from '../../web/kit.ts';
import type { DeliveryKind } from '../webhooks/delivery-store.ts';
import type { LoggedDelivery } from '../webhooks/log-rows.ts';

const STATUS: Readonly<Record<LoggedDelivery['status'], readonly [string, Tone]>> = {
  delivered: ['Delivered', 'good'],
  retryable: ['Failed', 'warn'],
  permanent: ['Refused', 'bad'],
  'under-way': ['Under way', 'busy'],
  'cut-off': ['Cut off', 'idle'],
};

/** How one attempt ended. */
export const statusBadge = ({ status }: LoggedDelivery): Html => badge(...STATUS[status]);

/** Undelivered is said of the event, on its latest attempt (DO-10). */
export const isLastOfUndelivered = ({ eventState, status }: LoggedDelivery): boolean =>
  eventState === 'undelivered' && status !== 'under-way' && status !== 'delivered';

export const KINDS: Readonly<Record<DeliveryKind, string>> = {
  vote: 'Vote',
  redelivery: 'Redelivery',
  test: 'Test',
  probe: 'Probe',
};

/** There is no HTTP status where nothing answered; the reason stands beneath (LG-02). */
export const httpText = ({ httpStatus }: LoggedDelivery): string | Html =>
  httpStatus === null ? html`<span class="soft">none</span>` : String(httpStatus);

export const durationOf = ({ durationMs }: LoggedDelivery): string =>
  durationMs === null ? '' : durationMs < 1000 ? `${durationMs} ms` : durationText(durationMs);
