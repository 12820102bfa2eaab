import type { Database } from 'better-sqlite3';
import type { Role } from '../accounts/account.ts';
import { MemberStore } from '../accounts/member-store.ts';
import type { CastVote, Listing } from '../contracts.ts';
import type { Asynchronous } from '../database/asynchronous.ts';
import { SendStore } from '../listener-sends/send-store.ts';
import { BotStats, type BotStatsSnapshot } from '../store/bot-stats.ts';
import { BudgetStore, type StoredBudget } from '../store/budget-store.ts';
import { Listings } from '../store/listings.ts';
import { type StoredToken, Tokens } from '../store/tokens.ts';
import { type RecordedVote, Voting } from '../store/voting.ts';
import { type WebhookSettings, Webhooks } from '../store/webhooks.ts';
import { DeliveryStore } from '../webhooks/delivery-store.ts';
import { OwedEvents } from '../webhooks/owed-events.ts';
import { type OldRows, PruningStore } from '../webhooks/pruning-store.ts';
import { accountChanges } from './account-changes.ts';
import { deliveryChanges } from './delivery-changes.ts';
import { sendChanges } from './send-changes.ts';

/**
 * Everything that changes the listing service's database, by name. Each change is one transaction and runs nothing but
 * statements. Arguments and results are plain values, and random values and times are arguments, so that a change can run
 * on another thread and be tried again with the same result.
 */
export const allChanges = (database: Database) => ({
  ...accountChanges(database),
  ...deliveryChanges(database),
  ...listingChanges(database),
  ...sendChanges(database),
  ...tokenChanges(database),
});

/** The same as asynchronous functions. Each resolves when it is on disk. If it rejects, with a Problem, it changed nothing. */
export type Changes = Asynchronous<ReturnType<typeof allChanges>>;

interface AddedListing {
  readonly listing: Listing;
  readonly members: readonly { readonly accountId: string; readonly role: Role }[];
}

type VoteRecord =
  | RecordedVote
  /** The listing was removed while this vote waited. */
  | { readonly kind: 'listing-gone' };

/** Listings with their votes, the statistics of bots, and the settings of webhooks. */
function listingChanges(database: Database) {
  const listings = new Listings(database);
  const members = new MemberStore(database);
  const botStats = new BotStats(database);
  const voting = new Voting(database);
  const owed = new OwedEvents(database);
  const sends = new SendStore(database);
  const webhooks = new Webhooks(database);
  const events = new DeliveryStore(database);
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

    /** Together with what is owed for it: its event for the webhook, and its mark for the vote listener. */
    recordVote(vote: CastVote): VoteRecord {
      const listing = listings.find(vote.listingId);
      if (listing === null) return { kind: 'listing-gone' };
      const recorded = voting.record(vote);
      if (recorded.kind !== 'recorded') return recorded;
      owed.record(listing, vote);
      sends.beginVote(listing, vote);
      return recorded;
    },

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
}

/** The tokens of the developer API, how much of its limits is used, and what is too old to keep. */
function tokenChanges(database: Database) {
  const tokens = new Tokens(database);
  const budgets = new BudgetStore(database);
  const old = new PruningStore(database);
  return {
    addToken(token: StoredToken): void {
      tokens.add(token);
    },

    /** Gives a token the hash of a new one. False if the listing has no such token. */
    rotateToken: (listingId: string, tokenId: string, hash: Uint8Array): boolean =>
      tokens.rotate(listingId, tokenId, hash),

    /** False if the listing has no such token. */
    revokeToken: (listingId: string, tokenId: string, now: number): boolean =>
      tokens.revoke(listingId, tokenId, now),

    recordTokenUse(tokenId: string, now: number): void {
      tokens.recordUse(tokenId, now);
    },

    saveBudgets(saved: readonly StoredBudget[]): void {
      for (const budget of saved) budgets.save(budget);
    },

    /** Deletes rows that `PruningStore.old` found, except events that have changed since. */
    deleteOld(rows: OldRows, before: number): void {
      old.delete(rows, before);
    },
  };
}
