import { type Page, tabs, tag } from '../../../web/kit.ts';
import { type PageStatus, showPage } from '../../../web/show.ts';
import type { PageContext } from '../../../web/site.ts';
import type { Listing } from '../../contracts.ts';
import type { Account } from '../account.ts';
import type { ListingEnv } from '../guards.ts';
import { paths } from '../paths.ts';
import { kindOf } from './my-listings.ts';

/** A tab of every listing's pages. */
export interface Section {
  readonly label: string;
  /** Below the listing's own path; empty for the first tab. */
  readonly path: string;
  isFor?(listing: Listing): boolean;
}

export type ListingContext = PageContext<Account> & { readonly var: ListingEnv['Variables'] };

/** Shows a page of a listing, with the listing's name and tabs. */
export function showListingPage(
  c: ListingContext,
  sections: readonly Section[],
  current: Section,
  page: Omit<Page, 'title' | 'tabTitle' | 'tabs' | 'trail' | 'beside'>,
  status: PageStatus = 200,
): Response | Promise<Response> {
  const { listing } = c.var;
  const links = sections
    .filter((section) => section.isFor?.(listing) ?? true)
    .map((section) => ({
      label: section.label,
      href: addressOf(listing, section),
      current: section.path === current.path,
    }));
  return showPage(
    c,
    {
      ...page,
      title: listing.name,
      tabTitle: `${current.label} · ${listing.name}`,
      beside: tag(kindOf(listing)),
      trail: [{ label: 'My listings', href: paths.dashboard }],
      tabs: tabs('Listing pages', links),
    },
    status,
  );
}

export const addressOf = (listing: Listing, { path }: Section): string =>
  path === '' ? paths.listing(listing.id) : `${paths.listing(listing.id)}/${path}`;
