import type { Database } from '../../platform/sqlite/open.ts';
import type { Role } from '../accounts/account.ts';
import { MemberStore } from '../accounts/member-store.ts';
import type { Listing } from '../contracts.ts';
import { BotStats, type BotStatsSnapshot } from '../store/bot-stats.ts';
import { Listings } from '../store/listings.ts';

export interface AddedListing {
  readonly listing: Listing;
  readonly members: readonly { readonly accountId: string; readonly role: Role }[];
}

/** Listings, and the statistics of bots. */
export const listingChanges = (database: Database) => {
  const listings = new Listings(database);
  const members = new MemberStore(database);
  const botStats = new BotStats(database);
  return {
    addListings(added: readonly AddedListing[], now: number): void {
      for (const { listing, members: people } of added) {
        listings.add(listing, now);
        for (const { accountId, role } of people) members.add(listing.id, accountId, role);
      }
    },

    /** False if it was removed already. */
    removeListing: (listingId: string, now: number): boolean => listings.remove(listingId, now),

    /** False if the listing was removed. */
    saveBotStats(listingId: string, snapshot: BotStatsSnapshot): boolean {
      if (listings.find(listingId) === null) return false;
      botStats.save(listingId, snapshot);
      return true;
    },
  };
};
