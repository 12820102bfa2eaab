import type { Log } from '../../core/log.ts';
import type { RecordedAttempt } from './attempt-recorder.ts';
import type { NewDelivery } from './delivery-store.ts';
import { type EventState, eventStates } from './event-state.ts';

/** Logs a delivery without its URL and its content (rule 10). */
export function logDelivery(
  log: Log,
  delivery: NewDelivery,
  { result, state, hasDisabled }: RecordedAttempt,
): void {
  const { deliveryId, listing, eventId, kind, attempt } = delivery;
  const fields = { delivery: deliveryId, listing: listing.id, event: eventId, kind, attempt, state };
  const { delivered, httpStatus, error, durationMs } = result;
  const answer = httpStatus === null ? error : `HTTP ${httpStatus}`;
  if (delivered)
    log.debug({ ...fields, code: 'delivered' }, `webhook delivered in ${durationMs} ms (${answer})`);
  else
    log.info({ ...fields, code: 'delivery-failed' }, `webhook not delivered (${answer})${followUp(state)}`);
  if (!hasDisabled) return;
  log.warn(
    { code: 'webhook-disabled', listing: listing.id },
    `the webhook of ${listing.name} was disabled: too many attempts failed in a row`,
  );
}

const followUp = (state: EventState | null): string =>
  state === null ? '' : `: ${eventStates[state].label.toLowerCase()}`;
