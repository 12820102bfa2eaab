import type { Log } from '../../core/log.ts';
import type { NewDelivery } from './delivery-store.ts';
import type { Settled } from './settling.ts';

/** What the operator's log says of a delivery: neither where it went nor what it carried (rule 10). */
export function logDelivery(log: Log, delivery: NewDelivery, { result, hasDisabled }: Settled): void {
  const { deliveryId, listing, eventId, kind, attempt } = delivery;
  const fields = { delivery: deliveryId, listing: listing.id, event: eventId, kind, attempt };
  const { delivered, httpStatus, error, durationMs } = result;
  const said = httpStatus === null ? error : `HTTP ${httpStatus}`;
  if (delivered)
    log.debug({ ...fields, code: 'delivered' }, `webhook delivered in ${durationMs} ms (${said})`);
  else log.info({ ...fields, code: 'delivery-failed' }, `a webhook delivery failed: ${said}`);
  if (!hasDisabled) return;
  log.warn(
    { code: 'webhook-disabled', listing: listing.id },
    `the webhook of ${listing.name} has disabled itself: too many attempts failed in a row`,
  );
}
