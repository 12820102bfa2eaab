import type { Log } from '../../core/log.ts';
import type { NewDelivery } from './delivery-store.ts';
import { type EventState, eventStates } from './event-state.ts';
import type { Settled } from './settling.ts';

/** What the operator's log says of a delivery: neither where it went nor what it carried (rule 10). */
export function logDelivery(log: Log, delivery: NewDelivery, { result, state, hasDisabled }: Settled): void {
  const { deliveryId, listing, eventId, kind, attempt } = delivery;
  const fields = { delivery: deliveryId, listing: listing.id, event: eventId, kind, attempt, state };
  const { delivered, httpStatus, error, durationMs } = result;
  const said = httpStatus === null ? error : `HTTP ${httpStatus}`;
  if (delivered)
    log.debug({ ...fields, code: 'delivered' }, `webhook delivered in ${durationMs} ms (${said})`);
  else log.info({ ...fields, code: 'delivery-failed' }, `webhook not delivered (${said})${followUp(state)}`);
  if (!hasDisabled) return;
  log.warn(
    { code: 'webhook-disabled', listing: listing.id },
    `the webhook of ${listing.name} has disabled itself: too many attempts failed in a row`,
  );
}

const followUp = (state: EventState | null): string =>
  state === null ? '' : `: ${eventStates[state].label.toLowerCase()}`;
