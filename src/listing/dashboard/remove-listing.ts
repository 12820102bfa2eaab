import { Hono } from 'hono';
import { card, confirmedButton, type Html, html, quoted } from '../../web/kit.ts';
import { seeOther } from '../../web/show.ts';
import { type ListingEnv, ownerOnly } from '../accounts/guards.ts';
import { paths } from '../accounts/paths.ts';
import type { Listing } from '../contracts.ts';
import type { DashboardParts } from './parts.ts';

const removePath = (listing: Listing): string => `${paths.listing(listing.id)}/remove`;

/** Its votes stay in the records; its page, its webhook and its tokens work no more (NS-31). */
export function removeListing({ store, clock }: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  pages.post('/dashboard/:listing/remove', ownerOnly, async (c) => {
    const { listing } = c.var;
    await store.write(() => store.listings.remove(listing.id, clock.now()));
    return seeOther(c, paths.dashboard, { tone: 'good', text: `${listing.name} is removed.` });
  });
  return pages;
}

export const removeCard = (listing: Listing, csrf: string): Html =>
  card({
    title: 'Remove this listing',
    body: confirmedButton({
      action: removePath(listing),
      csrf,
      label: 'Remove the listing…',
      question: html`${quoted(listing.name)} is removed for everyone and cannot be brought back. Its tokens and its
        webhook stop working.`,
      confirm: 'Remove the listing for good',
    }),
  });
