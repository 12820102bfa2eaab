import type { Database } from '../../platform/sqlite/open.ts';
import type { Cursor } from '../../web/paging.ts';
import { DeliveryLogStore } from '../webhooks/delivery-log-store.ts';
import { EventLogStore, type RowsWanted } from '../webhooks/event-log-store.ts';

/** The logs of webhook deliveries, and the figures of a webhook's health. */
export const deliveryReads = (database: Database) => {
  const deliveries = new DeliveryLogStore(database);
  const events = new EventLogStore(database);
  return {
    deliveryRows: (listingId: string, before: Cursor, limit: number) =>
      deliveries.rows(listingId, before, limit),

    deliveryDetail: (listingId: string, deliveryId: string) => deliveries.detail(listingId, deliveryId),

    undeliveredEvents: (listingId: string, before: Cursor, limit: number) =>
      deliveries.undelivered(listingId, before, limit),

    /** @param since the beginning of the figures of a day. */
    webhookHealth: (listingId: string, since: number) => deliveries.health(listingId, since),

    /** Events and tests, in no order: at most `limit` of each. */
    eventRows: (wanted: RowsWanted) => [...events.events(wanted), ...events.tests(wanted)],

    eventRow: (listingId: string, eventId: string) => events.event(listingId, eventId),

    attemptRows: (listingId: string, eventIds: readonly string[]) => events.attemptsOf(listingId, eventIds),
  };
};
