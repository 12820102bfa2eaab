import type { Database } from '../../platform/sqlite/open.ts';
import type { Cursor } from '../../web/paging.ts';
import { type NewSend, SendStore } from '../listener-sends/send-store.ts';

/** The log of votes sent to listeners, and its figures. */
export const sendReads = (database: Database) => {
  const store = new SendStore(database);
  return {
    sendRows: (listingId: string, before: Cursor, limit: number) => store.rows(listingId, before, limit),

    sendFigures: (listingId: string, since: number) => store.figures(listingId, since),

    lastSentFor: (send: NewSend, since: number) => store.lastSentFor(send, since),
  };
};
