import type { Hono } from 'hono';
import type { Clock } from '../../src/core/clock.ts';
import type { Log } from '../../src/core/log.ts';
import type { Account, Role } from '../../src/listing/accounts/account.ts';
import { type AccountsIn, accountPages, accountsIn } from '../../src/listing/accounts/accounts-in.ts';
import { peopleSection } from '../../src/listing/accounts/pages/people.ts';
import { paths } from '../../src/listing/accounts/paths.ts';
import { accountRoutes } from '../../src/listing/accounts/routes.ts';
import { listingStore } from '../../src/listing/store/listing-store.ts';
import { systemRandom } from '../../src/platform/random.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';
import { Passwords } from '../../src/web/auth/passwords.ts';
import { listingBrand } from '../../src/web/brands.ts';
import { pageApp } from '../../src/web/page-app.ts';
import { LOOPBACK_HOSTS, type PageEnv } from '../../src/web/site.ts';
import { listingInProcess } from './listing-in-process.ts';
import { silentLog } from './log.ts';

/** Only the accounts of the listing service and their pages, with a database. */
export interface ListingSite extends AccountsIn {
  readonly app: Hono<PageEnv<Account>>;
}

export interface ListingSiteOptions {
  readonly log?: Log;
  readonly https?: boolean;
}

/** The lowest cost of scrypt, so that tests do not wait for what makes guessing slow. */
export const QUICK = { ln: 1, r: 8, p: 1 } as const;

export function listingSite(database: Database, clock: Clock, options: ListingSiteOptions = {}): ListingSite {
  const opened = listingInProcess(database, { clock });
  const { changes, listings } = listingStore({ ...opened, clock, log: silentLog });
  const passwords = new Passwords(systemRandom, QUICK);
  const parts = accountsIn({ ...opened, clock, random: systemRandom, passwords });
  const app = pageApp<Account>({
    name: 'Craftlist',
    brand: listingBrand,
    cookie: 'listing',
    home: paths.dashboard,
    hosts: LOOPBACK_HOSTS,
    https: false,
    answersScripts: true,
    sessions: parts.accounts,
    accounts: accountPages,
    navigation: (person) => (person === null ? [] : [{ label: 'My listings', href: paths.dashboard }]),
    clock,
    random: systemRandom,
    log: silentLog,
    ...options,
  });
  app.route('/', accountRoutes({ ...parts, changes, listings, sections: [peopleSection] }));
  return { ...parts, app };
}

interface SampleListing {
  readonly id: string;
  readonly name?: string;
  readonly game?: 'minecraft' | null;
}

/** Inserts a listing without the store of listings. */
export function addListing(database: Database, { id, name = id, game = 'minecraft' }: SampleListing): string {
  database
    .prepare('INSERT INTO listings (id, name, type, game, weight, created_at) VALUES (?, ?, ?, ?, 1, 0)')
    .run(id, name, game === null ? 'bot' : 'game', game);
  return id;
}

/** An account, optionally with a role on a listing. */
export async function addPerson(
  { accounts, members }: AccountsIn,
  name: string,
  ...roles: readonly (readonly [listing: string, role: Role])[]
): Promise<Account> {
  const account = await accounts.add(name, PASSWORD);
  if (account === null) throw new Error(`${name} is taken`);
  for (const [listing, role] of roles) members.add(listing, account.id, role);
  return account;
}

export const PASSWORD = 'a long enough sentence';
