import { Hono } from 'hono';
import { card, confirmedButton, type Html, html, quoted } from '../../web/kit.ts';
import { seeOther } from '../../web/show.ts';
import { type ListingEnv, ownerOnly } from '../accounts/guards.ts';
import { paths } from '../accounts/paths.ts';
import type { Listing } from '../contracts.ts';
import type { DashboardParts } from './parts.ts';

const removePath = (listing: Listing): string => `${paths.listing(listing.id)}/remove`;

/** A removed listing's votes stay in the database; its page, webhook and tokens stop working (NS-31). */
export function removeListing({ store, clock }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.post('/dashboard/:listing/remove', ownerOnly, async (c) => {
    const { listing } = c.var;
    await store.changes.removeListing(listing.id, clock.now());
    return seeOther(c, paths.dashboard, { tone: 'good', text: `${listing.name} removed.` });
  });
  return pages;
}

export const removeCard = (listing: Listing, csrf: string): Html =>
  card({
    title: 'Remove listing',
    body: confirmedButton({
      action: removePath(listing),
      csrf,
      label: 'Remove listing…',
      question: html`${quoted(listing.name)} will be removed for everyone. This can’t be undone. Its tokens and webhook
        stop working.`,
      confirm: 'Remove listing',
    }),
  });
