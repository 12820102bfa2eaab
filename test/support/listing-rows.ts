import type { Game } from '../../protocol/webhook/payload.ts';
import { uuid7 } from '../../src/core/uuid.ts';
import { allChanges } from '../../src/listing/changes/changes.ts';
import type { CastVote, Listing } from '../../src/listing/contracts.ts';
import { Listings, newListing } from '../../src/listing/store/listings.ts';
import { Voting } from '../../src/listing/store/voting.ts';
import { votingWindowMs } from '../../src/listing/votes/cast-vote.ts';
import { OwedEvents } from '../../src/listing/webhooks/owed-events.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';

export interface ListingWanted {
  readonly name?: string;
  /** null for a bot. */
  readonly game?: Game | null;
  readonly weight?: number;
}

/** Stores a listing. */
export function addListing(
  database: Database,
  { name = 'Survival', game = 'minecraft', weight = 1 }: ListingWanted = {},
): Listing {
  const listing = newListing({ name, game, weight }, 0, systemRandom);
  new Listings(database).add(listing, 0);
  return listing;
}

export interface VoteWanted {
  readonly userId?: string;
  readonly player?: string | null;
}

let voters = 0;

/** Stores a vote with its webhook event; by a new voter unless one is given. */
export function addVote(
  database: Database,
  listing: Listing,
  castAt: number,
  { userId = `8035111022467${voters++}`, player = null }: VoteWanted = {},
): CastVote {
  const { id: listingId, weight } = listing;
  const nextAt = castAt + votingWindowMs(listing);
  const vote = { id: uuid7(castAt, systemRandom), listingId, userId, player, castAt, nextAt, weight };
  const record = () => {
    new Voting(database).record(vote);
    new OwedEvents(database).record(listing, vote);
  };
  database.transaction(record).immediate();
  return vote;
}

export interface WebhookWanted {
  readonly url: string;
  readonly secret?: string | null;
  readonly isActive?: boolean;
}

/** Saves a webhook as the dashboard and the API do. */
export const saveWebhook = (
  database: Database,
  listing: Listing,
  { url, secret = null, isActive = true }: WebhookWanted,
  now: number,
): boolean => allChanges(database).registerWebhook(listing.id, { url, secret, isActive }, now);
