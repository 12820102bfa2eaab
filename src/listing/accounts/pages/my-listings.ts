import { Hono } from 'hono';
import { empty, type Html, linkButton, type Page, tag, tiles } from '../../../web/kit.ts';
import { showPage } from '../../../web/show.ts';
import type { Listing } from '../../contracts.ts';
import type { OwnListing } from '../account.ts';
import { type AccountEnv, signedInOnly } from '../guards.ts';
import type { MemberStore } from '../member-store.ts';
import { paths } from '../paths.ts';

/** The listings that the account owns or manages, each with a link to its pages. */
export function myListingsPage(members: MemberStore): Hono<AccountEnv> {
  const pages = new Hono<AccountEnv>();
  pages.get(paths.dashboard, signedInOnly, (c) => showPage(c, page(members.listingsOf(c.var.account.id))));
  return pages;
}

const page = (listings: readonly OwnListing[]): Page => ({
  title: 'My listings',
  actions: linkButton('Add listing', paths.newListing),
  body: listings.length === 0 ? NONE : tiles(listings.map(tile)),
  json: { listings },
});

const NONE: Html = empty({
  title: 'No listings yet',
  advice: 'Add one. To manage someone else’s listing, ask its owner for an invitation.',
});

const tile = (listing: OwnListing) => ({
  title: listing.name,
  href: paths.listing(listing.id),
  badge: tag(listing.role === 'owner' ? 'Owner' : 'Manager'),
  body: kindOf(listing),
});

const KINDS = { minecraft: 'Minecraft', fivem: 'FiveM', roblox: 'Roblox', hytale: 'Hytale' } as const;

/** The kind of listing, in words. */
export const kindOf = ({ game }: Pick<Listing, 'game'>): string =>
  game === null ? 'Bot' : `${KINDS[game]} server`;
