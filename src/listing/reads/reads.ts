import type { Database } from '../../platform/sqlite/open.ts';
import type { Asynchronous } from '../database/asynchronous.ts';
import { deliveryReads } from './delivery-reads.ts';
import { pruningReads } from './pruning-reads.ts';
import { sendReads } from './send-reads.ts';
import { voteReads } from './vote-reads.ts';

/**
 * The queries of the listing service that can be long, by name: logs, figures, and what old rows there are. They run on
 * a connection and a thread of their own, so that they delay neither a vote nor a page. Arguments and results are plain
 * values. A query sees every change that was answered before.
 *
 * Short ones, of a few rows by a key, are no calls: the main thread makes them on a connection that only reads. As
 * calls, each sign-in and each page's guard would wait behind the long queries of all other pages.
 */
export const allReads = (database: Database) => ({
  ...deliveryReads(database),
  ...pruningReads(database),
  ...sendReads(database),
  ...voteReads(database),
});

/** The same as asynchronous functions. Rejects with a Problem. */
export type Reads = Asynchronous<ReturnType<typeof allReads>>;
