import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import { ago, card, code, empty, type Html, instant, linkButton, pagination, table } from '../../web/kit.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, showListingPage } from '../accounts/pages/listing-page.ts';
import type { Listing } from '../contracts.ts';
import type { UndeliveredEvent } from '../webhooks/log-rows.ts';
import { PAGE_ROWS, pageLinks, readCursor } from './cursor.ts';
import { redeliverButton, undeliveredPath } from './deliveries.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection } from './sections.ts';

/** Events that are not sent again by themselves (DO-10). */
export function undeliveredPage({ deliveries, sections, clock }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get('/dashboard/:listing/deliveries/undelivered', (c) => {
    const { listing, visit } = c.var;
    const before = readCursor(c.req.query('before'));
    const page = deliveries.log.undelivered(listing.id, { limit: PAGE_ROWS, before });
    const links = pageLinks(page, undeliveredPath(listing), before);
    return showListingPage(c, sections, deliveriesSection, {
      body: card({
        title: 'Undelivered events',
        note: 'Votes that counted, and of which the webhook does not know. A redelivery sends each once more.',
        actions: linkButton('Log of deliveries', addressOf(listing, deliveriesSection)),
        body: [eventTable(listing, page.rows, visit.csrf, clock.now()), links && pagination(links)],
      }),
      json: { undelivered: page.rows.map(eventJson), older: links?.older ?? null },
    });
  });
  return pages;
}

const eventJson = ({ eventId, attempts, createdAt, endedAt }: UndeliveredEvent) => ({
  eventId,
  attempts,
  createdAt: isoTime(createdAt),
  endedAt: isoTime(endedAt),
});

const eventTable = (listing: Listing, rows: readonly UndeliveredEvent[], csrf: string, now: number): Html =>
  table<UndeliveredEvent>({
    caption: 'Undelivered events, latest first',
    columns: [
      { label: 'Event', cell: ({ eventId }) => code(eventId), onPhone: 'title' },
      { label: 'Cast', kind: 'brief', cell: ({ createdAt }) => instant(createdAt) },
      { label: 'Attempts', kind: 'number', cell: ({ attempts }) => attempts },
      { label: 'Given up', kind: 'brief', cell: ({ endedAt }) => ago(endedAt, now) },
      {
        label: 'Redeliver',
        kind: 'end',
        onPhone: 'block',
        cell: ({ eventId }) => redeliverButton(listing, eventId, csrf),
      },
    ],
    rows,
    empty: empty({ title: 'None', advice: 'Every event has arrived, or is still being retried.' }),
  });
