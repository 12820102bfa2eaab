import { Hono } from 'hono';
import type { PageEnv } from '../../web/site.ts';
import type { Changes } from '../changes/changes.ts';
import type { Listings } from '../store/listings.ts';
import type { Account } from './account.ts';
import type { Accounts } from './accounts.ts';
import { membersOnly, signedInOnly } from './guards.ts';
import type { Invitations } from './invitations.ts';
import type { MemberStore } from './member-store.ts';
import { invitationPages } from './pages/invitation.ts';
import type { Section } from './pages/listing-page.ts';
import { myListingsPage } from './pages/my-listings.ts';
import { ownAccountPage } from './pages/own-account.ts';
import { peoplePages } from './pages/people.ts';
import { signInPages } from './pages/sign-in.ts';

interface AccountRouteParts {
  readonly accounts: Accounts;
  readonly invitations: Invitations;
  readonly members: MemberStore;
  readonly listings: Listings;
  readonly changes: Changes;
  /** The tabs of every listing's pages, including `peopleSection`. */
  readonly sections: readonly Section[];
}

/** The pages that deal with accounts, to be mounted on a `pageApp`. */
export function accountRoutes(parts: AccountRouteParts): Hono<PageEnv<Account>> {
  const { accounts, invitations, members } = parts;
  const routes = new Hono<PageEnv<Account>>();
  routes.route('/', signInPages(accounts));
  routes.route('/', invitationPages(invitations, accounts));
  routes.route('/', ownAccountPage(accounts));
  routes.route('/', myListingsPage(members));
  // Every page below a listing is for its members only. The guard is set here, so that no page can forget it.
  routes.use('/dashboard/:listing/*', signedInOnly, membersOnly(parts.listings, members));
  routes.route('/', peoplePages(parts));
  return routes;
}
