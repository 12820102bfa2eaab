import { deliveryHeaders, TEST_EVENT_ID } from '../../../protocol/webhook.ts';
import type { Listing } from '../contracts.ts';
import { type ChannelRule, shownUrl } from '../targets/channel.ts';
import type { DeliveryKind, NewDelivery, StoredEvent } from './delivery-store.ts';

/** What the marks of all deliveries of this service have in common. */
export interface MarkRules {
  readonly userAgent: string;
  /** Which URLs are shown without their token. */
  readonly channels: ChannelRule;
}

/** What is drawn for one delivery. */
export interface Drawn {
  readonly deliveryId: string;
  readonly startedAt: number;
  readonly rules: MarkRules;
}

/** A delivery whose mark is stored, with what is sent and where to. */
export interface MarkedDelivery {
  readonly delivery: NewDelivery;
  /** The event's stored body. */
  readonly body: Uint8Array;
  readonly url: string;
  readonly secret: string | null;
}

interface Target {
  readonly url: string;
  readonly secret: string | null;
}

/** The next attempt of an event, with the webhook's current URL and secret (NS-28). */
export function nextDelivery(
  { id: eventId, listing, attempts, body }: StoredEvent,
  kind: 'vote' | 'redelivery',
  { url, secret }: Target,
  drawn: Drawn,
): MarkedDelivery {
  const delivery = markOf({ kind, listing, eventId, attempt: attempts + 1 }, url, drawn);
  return { delivery, body, url, secret };
}

interface Attempted {
  readonly kind: DeliveryKind;
  readonly listing: Listing;
  /** null for tests. */
  readonly eventId: string | null;
  readonly attempt: number;
}

/** The mark of a delivery to this URL. */
export function markOf(
  attempted: Attempted,
  url: string,
  { deliveryId, startedAt, rules }: Drawn,
): NewDelivery {
  const { eventId, attempt } = attempted;
  const headers = {
    ...deliveryHeaders(eventId ?? TEST_EVENT_ID, deliveryId, attempt),
    'User-Agent': rules.userAgent,
  };
  return { ...attempted, deliveryId, headers, shownUrl: shownUrl(new URL(url), rules.channels), startedAt };
}
