import type { Database } from '../../platform/sqlite/open.ts';
import type { CastVote } from '../contracts.ts';
import { SendStore } from '../listener-sends/send-store.ts';
import { Listings } from '../store/listings.ts';
import { type RecordedVote, Voting } from '../store/voting.ts';
import { OwedEvents } from '../webhooks/owed-events.ts';

export type VoteRecord =
  | RecordedVote
  /** The listing was removed while this vote waited. */
  | { readonly kind: 'listing-gone' };

/** Votes, together with what is owed for each: its event for the webhook, and its mark for the vote listener. */
export const voteChanges = (database: Database) => {
  const listings = new Listings(database);
  const voting = new Voting(database);
  const owed = new OwedEvents(database);
  const sends = new SendStore(database);
  return {
    recordVote(vote: CastVote): VoteRecord {
      const listing = listings.find(vote.listingId);
      if (listing === null) return { kind: 'listing-gone' };
      const recorded = voting.record(vote);
      if (recorded.kind !== 'recorded') return recorded;
      owed.record(listing, vote);
      sends.beginVote(listing, vote);
      return recorded;
    },
  };
};
