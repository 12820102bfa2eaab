import type { DeliveryResult } from '../../notify/webhook/delivery-result.ts';
import type { DeliveryStore, StoredEvent } from './delivery-store.ts';
import type { Webhook } from './webhook-store.ts';

/** Why a redelivery is refused, in the order of the checks. */
const redeliveryRefusals = {
  'no-event': 'There is no such event in the log.',
  'too-old': 'The event is older than 90 days, so it can’t be sent again.',
  'no-webhook': 'There is no webhook. Save one, then redeliver.',
  disabled: 'The webhook is disabled. Save it again to enable it, then redeliver.',
  paused: 'The webhook is paused. Turn deliveries on, then redeliver.',
  'being-sent': 'The event is being sent right now. Wait for the result.',
  'too-many': 'At most 10 redeliveries a minute are allowed. Try again shortly.',
  'not-recorded': 'Nothing was sent, because the service can’t write to its database. Try again later.',
} as const satisfies Record<string, string>;

export type RedeliveryRefusal = keyof typeof redeliveryRefusals;

export type RedeliveryResult =
  | { readonly kind: 'sent'; readonly result: DeliveryResult }
  | ({
      readonly kind: 'refused';
      readonly code: RedeliveryRefusal;
      readonly sentence: string;
    } & Wait);

export interface Wait {
  /** With `too-many` only. */
  readonly retryAfterSeconds?: number;
}

export const refused = (
  code: RedeliveryRefusal,
): Extract<RedeliveryResult, { readonly kind: 'refused' }> => ({
  kind: 'refused',
  code,
  sentence: redeliveryRefusals[code],
});

interface Redelivery {
  readonly event: StoredEvent | null;
  readonly webhook: Webhook | null;
  readonly store: DeliveryStore;
  readonly now: number;
}

/** Why an event cannot be redelivered now; null if it can. */
export function redeliveryRefusalOf({
  event,
  webhook,
  store,
  now,
}: Redelivery): ({ readonly code: RedeliveryRefusal } & Wait) | null {
  if (event === null) return { code: 'no-event' };
  if (now - event.createdAt > RETENTION_MS) return { code: 'too-old' };
  const block = redeliveryBlock(webhook);
  if (block !== null) return { code: block };
  if (store.isBeingSent(event.id)) return { code: 'being-sent' };
  const startedAt = store.redeliveriesSince(event.listing.id, now - MINUTE_MS);
  const waitMs = redeliveryWaitMs(startedAt, now);
  return waitMs > 0 ? { code: 'too-many', retryAfterSeconds: Math.ceil(waitMs / 1000) } : null;
}

/** Refusals because of the webhook's state, for any event (RD-03). */
export function redeliveryBlock(webhook: Webhook | null): 'no-webhook' | 'disabled' | 'paused' | null {
  if (webhook === null) return 'no-webhook';
  return webhook.state === 'open' ? null : webhook.state;
}

/** How long events are kept and can be redelivered. */
export const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;
const PER_MINUTE_MAX = 10;

/**
 * How long until the next redelivery is allowed; 0 if it is allowed now. Counts the log's rows, so the limit survives restarts. No
 * period of 60 seconds ever has more than ten.
 *
 * @param startedAt the start times in the last minute, oldest first.
 */
function redeliveryWaitMs(startedAt: readonly number[], now: number): number {
  const blocking = startedAt.at(-PER_MINUTE_MAX);
  return blocking === undefined ? 0 : Math.max(0, blocking + MINUTE_MS - now);
}
