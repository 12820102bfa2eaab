import type { Database } from '../../platform/sqlite/open.ts';
import { Listings } from '../store/listings.ts';
import { type WebhookSettings, Webhooks } from '../store/webhooks.ts';
import { DeliveryStore } from '../webhooks/delivery-store.ts';

/** The settings of webhooks. */
export const webhookChanges = (database: Database) => {
  const listings = new Listings(database);
  const webhooks = new Webhooks(database);
  const events = new DeliveryStore(database);
  return {
    /**
     * Creates or replaces the webhook, re-enables it if it was disabled automatically, and resets the failure count.
     * Pausing it ends its pending events undelivered (NS-28). False if the listing was removed.
     */
    registerWebhook(listingId: string, settings: WebhookSettings, now: number): boolean {
      if (listings.find(listingId) === null) return false;
      webhooks.register(listingId, settings, now);
      if (!settings.isActive) events.endPending(listingId, now);
      return true;
    },
  };
};
