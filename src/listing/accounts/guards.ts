import type { MiddlewareHandler } from 'hono';
import { isChange } from '../../web/guards.ts';
import { refuse, wantsJson } from '../../web/refusal.ts';
import { seeOther } from '../../web/show.ts';
import type { PageEnv } from '../../web/site.ts';
import type { Listing } from '../contracts.ts';
import type { Listings } from '../store/listings.ts';
import type { Account, Role } from './account.ts';
import type { MemberStore } from './member-store.ts';
import { paths, signInThen } from './paths.ts';

/** The context of routes behind `signedInOnly`. */
export interface AccountEnv extends PageEnv<Account> {
  Variables: PageEnv<Account>['Variables'] & { readonly account: Account };
}

/** The context of routes behind `membersOnly`. */
export interface ListingEnv extends PageEnv<Account> {
  Variables: AccountEnv['Variables'] & { readonly listing: Listing; readonly role: Role };
}

/** Redirects people to sign in, and from there back to the page they wanted. Programs get an error. */
export const signedInOnly: MiddlewareHandler<AccountEnv> = async (c, next) => {
  const { person } = c.var.visit;
  if (person !== null) {
    c.set('account', person);
    return next();
  }
  if (wantsJson(c, c.var.site)) return refuse(c, c.var.site, 'signed-out');
  return seeOther(c, isChange(c.req.method) ? paths.signIn : signInThen(c.req.path));
};

/** Lets only the owner and managers of `:listing` through (AU-14, RD-08). Use it behind `signedInOnly`. */
export const membersOnly =
  (listings: Listings, members: MemberStore): MiddlewareHandler<ListingEnv> =>
  async (c, next) => {
    const listing = listings.find(c.req.param('listing') ?? '');
    if (listing === null) return refuse(c, c.var.site, 'not-found');
    const role = members.role(listing.id, c.var.account.id);
    if (role === null) return refuse(c, c.var.site, 'not-allowed');
    c.set('listing', listing);
    c.set('role', role);
    return next();
  };

/** For what managers may see but not do. Use it behind `membersOnly`. */
export const ownerOnly: MiddlewareHandler<ListingEnv> = async (c, next) =>
  c.var.role === 'owner' ? next() : refuse(c, c.var.site, 'not-allowed');
