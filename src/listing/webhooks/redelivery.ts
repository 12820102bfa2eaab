import type { DeliveryResult } from '../../webhook-send/delivery-result.ts';
import type { Webhook } from './webhook-store.ts';

/** Why a redelivery is refused, in the order in which it is judged, each with its sentence for the owner. */
export const redeliveryRefusals = {
  'no-event': 'There is no such event in the log.',
  'too-old': 'The event is older than 90 days; it cannot be sent again.',
  'no-webhook': 'There is no webhook to send it to.',
  disabled: 'The webhook is disabled: save it again to enable it, then redeliver.',
  paused: 'The webhook is paused: switch it on, then redeliver.',
  'being-sent': 'The event is being sent at this moment.',
  'too-many': 'At most 10 redeliveries a minute; wait a little.',
  'not-recorded': 'The service cannot write to its database at the moment; nothing was sent.',
} as const satisfies Record<string, string>;

export type RedeliveryRefusal = keyof typeof redeliveryRefusals;

export type RedeliveryResult =
  | { readonly kind: 'sent'; readonly result: DeliveryResult }
  | {
      readonly kind: 'refused';
      readonly code: RedeliveryRefusal;
      readonly sentence: string;
      /** With `too-many` alone. */
      readonly retryAfterSeconds?: number;
    };

export const refused = (
  code: RedeliveryRefusal,
): Extract<RedeliveryResult, { readonly kind: 'refused' }> => ({
  kind: 'refused',
  code,
  sentence: redeliveryRefusals[code],
});

/** What the webhook's own state refuses, whichever event it is about (RD-03). */
export function redeliveryBlock(webhook: Webhook | null): 'no-webhook' | 'disabled' | 'paused' | null {
  if (webhook === null) return 'no-webhook';
  return webhook.state === 'open' ? null : webhook.state;
}

/** Events are kept, and can be sent again, for so long. */
export const RETENTION_MS = 90 * 24 * 60 * 60 * 1000;
const MINUTE_MS = 60_000;
const PER_MINUTE_MAX = 10;

/** A run over all undelivered events leaves two a minute for the owner's own Redeliver. */
export const RUN_PER_MINUTE_MAX = 8;

/**
 * How long until the next redelivery, 0 for now. The log itself is the count, so it holds across restarts; no 60
 * seconds ever see more than ten.
 *
 * @param startedAt when those of the last minute began, oldest first.
 */
export function redeliveryWaitMs(
  startedAt: readonly number[],
  now: number,
  perMinute: number = PER_MINUTE_MAX,
): number {
  const blocking = startedAt.at(-perMinute);
  return blocking === undefined ? 0 : Math.max(0, blocking + MINUTE_MS - now);
}

export const minuteBefore = (now: number): number => now - MINUTE_MS;
