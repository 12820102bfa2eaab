import type { Database } from '../../platform/sqlite/open.ts';
import { RedeliveryRunStore } from '../webhooks/redelivery-run-store.ts';

/** What redeliveries of all undelivered events need to know. */
export const runReads = (database: Database) => {
  const store = new RedeliveryRunStore(database);
  return {
    undeliveredCount: (listingId: string, since: number, now: number) => store.count(listingId, since, now),

    nextOfRun: (listingId: string) => store.next(listingId),
  };
};
