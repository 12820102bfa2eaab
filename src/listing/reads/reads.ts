import type { Database } from 'better-sqlite3';
import type { Cursor } from '../../web/paging.ts';
import type { Asynchronous } from '../database/asynchronous.ts';
import { type NewSend, SendStore } from '../listener-sends/send-store.ts';
import { VoteReports, type VoteSpan } from '../store/vote-reports.ts';
import { DeliveryLogStore } from '../webhooks/delivery-log-store.ts';
import { EventLogStore, type RowsWanted } from '../webhooks/event-log-store.ts';
import { PruningStore } from '../webhooks/pruning-store.ts';

/**
 * The queries of the listing service that can be long, by name: logs, figures, and what old rows there are. They run on
 * a connection and a thread of their own, so that they delay neither a vote nor a page. Arguments and results are plain
 * values. A query sees every change that was answered before.
 *
 * Short ones, of a few rows by a key, are no calls: the main thread makes them on a connection that only reads. As
 * calls, each sign-in and each page's guard would wait behind the long queries of all other pages.
 */
export function allReads(database: Database) {
  const deliveries = new DeliveryLogStore(database);
  const events = new EventLogStore(database);
  const old = new PruningStore(database);
  const sends = new SendStore(database);
  const votes = new VoteReports(database);
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
    oldRows: (before: number, limit: number) => old.old(before, limit),
    sendRows: (listingId: string, before: Cursor, limit: number) => sends.rows(listingId, before, limit),
    sendFigures: (listingId: string, since: number) => sends.figures(listingId, since),
    lastSentFor: (send: NewSend, since: number) => sends.lastSentFor(send, since),
    directory: () => votes.directory(),
    voteFigures: (listingId: string, now: number) => votes.figures(listingId, now),
    voteList: (listingId: string, span: VoteSpan, limit: number) => votes.list(listingId, span, limit),
  };
}

/** The same as asynchronous functions. Rejects with a Problem. */
export type Reads = Asynchronous<ReturnType<typeof allReads>>;
