import type { Database } from 'better-sqlite3';
import type { Turn } from '../../notify/outbox/outlet.ts';
import {
  type ListenerSettings,
  type NewSend,
  type SendEnd,
  SendStore,
} from '../listener-sends/send-store.ts';
import { claimDue, type ListingJob } from '../outbox/claim-due.ts';

/** A vote to send, with its listener's settings; null if they were removed after the vote was cast. */
export interface ClaimedSend extends NewSend {
  readonly settings: ListenerSettings | null;
}

export interface SendsTurn {
  readonly ended: readonly { readonly id: string; readonly end: SendEnd }[];
  readonly inProgress: readonly ListingJob[];
  /** Whether to claim votes; not while the service stops. */
  readonly isClaiming: boolean;
  readonly now: number;
}

const PER_LISTENER_MAX = 8;

/** Vote listeners: their settings, and the votes that are sent to them at most once. */
export const sendChanges = (database: Database) => {
  const store = new SendStore(database);

  /** The mark is written with the vote, so claiming writes nothing. */
  const claim = (listingId: string, limit: number, inProgress: readonly ListingJob[]): ClaimedSend[] => {
    const others = inProgress.filter((job) => job.listingId === listingId).map(({ id }) => id);
    const settings = store.settings(listingId);
    return store.waiting(listingId, limit, others).map((marked) => ({ ...marked, settings }));
  };

  return {
    saveListener(listingId: string, settings: ListenerSettings): void {
      store.save(listingId, settings);
    },

    removeListener(listingId: string): void {
      store.remove(listingId);
    },

    /** Marks a test vote before it is sent. */
    beginSend(send: NewSend): void {
      store.begin(send);
    },

    /** Gives this outcome to all votes that the last process left without one. @returns how many those are. */
    endOpenSends: (end: SendEnd): number => store.endAll(end),

    /** Records how sends ended, and claims votes that wait. */
    sendsTurn({ ended, inProgress, isClaiming, now }: SendsTurn): Turn<ClaimedSend, SendEnd> {
      for (const { id, end } of ended) store.end(id, end);
      const queue = {
        perListingMax: PER_LISTENER_MAX,
        dueListings: store.dueListings.bind(store),
        claim: (listingId: string, limit: number) => claim(listingId, limit, inProgress),
      };
      const claimed = isClaiming ? claimDue(queue, inProgress, now) : [];
      // A vote is due when it is cast, so nothing is due later.
      return { recorded: ended.map(({ end }) => end), claimed, nextDueAt: null };
    },
  };
};
