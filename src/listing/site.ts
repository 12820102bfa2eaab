import { Hono } from 'hono';
import type { Log } from '../core/log.ts';
import type { PracticeClock } from '../platform/practice-clock.ts';
import { listingBrand } from '../web/brands.ts';
import { pageApp } from '../web/page-app.ts';
import type { PageBindings } from '../web/server.ts';
import { LOOPBACK_HOSTS, type PageEnv, type Site } from '../web/site.ts';
import type { Account } from './accounts/account.ts';
import { type AccountsIn, accountPages } from './accounts/accounts-in.ts';
import type { ListingEnv } from './accounts/guards.ts';
import { paths } from './accounts/paths.ts';
import { accountRoutes } from './accounts/routes.ts';
import { REQUESTS_PER_MINUTE } from './api/address-limit.ts';
import { API_ROOT, listingApi } from './api/listing-api.ts';
import type { VoteObserver } from './contracts.ts';
import { deliveriesPages } from './dashboard/deliveries.ts';
import { deliveryPage } from './dashboard/delivery.ts';
import { listenerPages } from './dashboard/listener.ts';
import { newListingPage } from './dashboard/new-listing.ts';
import { overviewPage } from './dashboard/overview.ts';
import type { DashboardParts } from './dashboard/parts.ts';
import { removeListing } from './dashboard/remove-listing.ts';
import { sections } from './dashboard/sections.ts';
import { tokenPages } from './dashboard/tokens.ts';
import { undeliveredPage } from './dashboard/undelivered.ts';
import { webhookPages } from './dashboard/webhook.ts';
import { docsPages, servedReference } from './docs/docs-page.ts';
import { PRACTICE_CLOCK_PATH, practiceClockPages, practiceNotice } from './practice/clock-pages.ts';
import { directoryPage } from './public/directory.ts';
import { listingPages } from './public/listing.ts';
import { publicPaths } from './public/paths.ts';

export interface SiteParts extends Omit<DashboardParts, 'sections'> {
  readonly accounts: AccountsIn;
  readonly observers: readonly VoteObserver[];
  /** null if nothing moves the clock. */
  readonly practiceClock: PracticeClock | null;
  /** The host names that the site accepts besides those of loopback. */
  readonly hosts: readonly string[];
  readonly https: boolean;
  /** The pauses before a webhook's retries, for the documentation. */
  readonly retryScheduleMs: readonly number[];
  readonly log: Log;
}

export const SERVICE_NAME = 'Teller listing';
const REFERENCE_PATH = `${API_ROOT}/openapi.json`;

type Handler = (request: Request, bindings: PageBindings) => Response | Promise<Response>;

/** The web site: the developer API below its root, and the pages. */
export function listingSite(parts: SiteParts): Handler {
  const { store, clock, log, targets, deliveries } = parts;
  const api = listingApi({ store, clock, log, targets, deliveries });
  const pages = sitePages(parts, api);
  const isApi = (request: Request): boolean => `${new URL(request.url).pathname}/`.startsWith(`${API_ROOT}/`);
  // The API is chosen by path before any page's guard runs, so that its 404s and refusals are JSON.
  return (request, bindings) => (isApi(request) ? api : pages).fetch(request, bindings);
}

function sitePages(parts: SiteParts, api: ReturnType<typeof listingApi>): Hono<PageEnv<Account>> {
  const { store, accounts, practiceClock } = parts;
  const app = pageApp<Account>(siteOf(parts));
  app.route('/', directoryPage(store));
  app.route('/', listingPages({ ...parts, members: accounts.members }));
  app.route(
    '/',
    docsPages({
      reference: () => servedReference(api, REFERENCE_PATH),
      referencePath: REFERENCE_PATH,
      requestsPerMinute: REQUESTS_PER_MINUTE,
      retryScheduleMs: parts.retryScheduleMs,
    }),
  );
  if (practiceClock !== null) app.route('/', practiceClockPages(practiceClock));
  app.route('/', newListingPage(parts));
  const { listings, changes } = store;
  // Mounted first, because it guards everything below `/dashboard/:listing`.
  app.route('/', accountRoutes({ ...accounts, listings, changes, sections }));
  app.route('/', dashboard({ ...parts, sections }));
  return app;
}

function dashboard(parts: DashboardParts): Hono<ListingEnv> {
  const pages = new Hono<ListingEnv>();
  const all = [
    overviewPage,
    webhookPages,
    deliveriesPages,
    undeliveredPage,
    deliveryPage,
    listenerPages,
    tokenPages,
    removeListing,
  ];
  for (const pagesOf of all) pages.route('/', pagesOf(parts));
  return pages;
}

const siteOf = ({ accounts, hosts, https, clock, random, log, practiceClock }: SiteParts): Site<Account> => ({
  name: SERVICE_NAME,
  brand: listingBrand,
  cookie: 'listing',
  home: publicPaths.directory,
  hosts: [...LOOPBACK_HOSTS, ...hosts],
  https,
  answersScripts: true,
  sessions: accounts.accounts,
  accounts: accountPages,
  navigation: (person) => [
    { label: 'Listings', href: publicPaths.directory },
    ...(person === null ? [] : [{ label: 'My listings', href: paths.dashboard }]),
    { label: 'API', href: publicPaths.docs },
    ...(practiceClock === null ? [] : [{ label: 'Practice clock', href: PRACTICE_CLOCK_PATH }]),
  ],
  notice: () => practiceNotice(practiceClock),
  clock,
  random,
  log,
});
