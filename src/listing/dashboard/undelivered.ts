import { Hono } from 'hono';
import { isoTime } from '../../core/instant.ts';
import { PAGE_ROWS, pageLinks, readCursor } from '../../web/paging.ts';
import { wantsJson } from '../../web/refusal.ts';
import { seeOther } from '../../web/show.ts';
import type { ListingEnv } from '../accounts/guards.ts';
import { addressOf, showListingPage } from '../accounts/pages/listing-page.ts';
import type { UndeliveredEvent } from '../webhooks/log-rows.ts';
import { undeliveredPath } from './deliveries.ts';
import type { DashboardParts } from './parts.ts';
import { deliveriesSection } from './sections.ts';

/** Events that are not retried automatically (DO-10): a list for scripts, a filter of the log for people. */
export function undeliveredPage({ deliveries, sections }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.get('/dashboard/:listing/deliveries/undelivered', async (c) => {
    const { listing } = c.var;
    if (!wantsJson(c, c.var.site)) return seeOther(c, undeliveredPath(listing));
    const before = readCursor(c.req.query('before'));
    const page = await deliveries.log.undelivered(listing.id, { limit: PAGE_ROWS, before });
    const links = pageLinks(page, `${addressOf(listing, deliveriesSection)}/undelivered`, before);
    const json = { undelivered: page.rows.map(eventJson), older: links?.older ?? null };
    return showListingPage(c, sections, deliveriesSection, { body: null, json });
  });
  return pages;
}

const eventJson = ({ eventId, attempts, createdAt, endedAt }: UndeliveredEvent) => ({
  eventId,
  attempts,
  createdAt: isoTime(createdAt),
  endedAt: isoTime(endedAt),
});
