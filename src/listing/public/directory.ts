import { Hono } from 'hono';
import { amount, empty, type Page, tag, tiles, VOTES } from '../../web/kit.ts';
import { showPage } from '../../web/show.ts';
import type { PageEnv } from '../../web/site.ts';
import type { Account } from '../accounts/account.ts';
import { kindOf } from '../accounts/pages/my-listings.ts';
import type { ListingStore } from '../store/listing-store.ts';
import { publicPaths } from './paths.ts';

/** All listings, each with a link to its public page. */
export function directoryPage({ reads }: ListingStore): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  pages.get(publicPaths.directory, async (c) => {
    const rows = await reads.directory();
    const body =
      rows.length === 0
        ? empty({ title: 'No listings yet', advice: 'Sign in and add the first one under My listings.' })
        : tiles(
            rows.map((row) => ({
              title: row.name,
              href: publicPaths.listing(row.id),
              badge: tag(kindOf(row)),
              body: amount(row.votes, VOTES),
            })),
          );
    const page: Page = {
      title: 'Listings',
      lead: 'Bots and game servers to vote for.',
      body,
      json: { listings: rows },
    };
    return showPage(c, page);
  });
  return pages;
}
