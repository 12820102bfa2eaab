import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { FakeBrowser } from './fake-browser.ts';
import { FakeClock } from './fake-clock.ts';
import { temporaryFolder } from './folder.ts';
import { type ListingSite, type ListingSiteOptions, listingSite } from './listing-site.ts';

export interface FreshSite extends ListingSite {
  readonly database: Database;
  readonly clock: FakeClock;
  /** A new browser without cookies. */
  visitor(): FakeBrowser;
}

/** Accounts and their pages with a new database, closed with the test. */
export function freshSite(options: ListingSiteOptions = {}): FreshSite {
  const database = openDatabase(join(temporaryFolder(), 'listing.db'), listingSchema, 'create');
  onTestFinished(() => {
    database.close();
  });
  const clock = new FakeClock();
  const site = listingSite(database, clock, options);
  return { ...site, database, clock, visitor: () => new FakeBrowser(site.app) };
}

/** Signs in with the form of the page. */
export async function signIn(visitor: FakeBrowser, name: string, password: string) {
  await visitor.get('/sign-in');
  return visitor.post('/sign-in', { name, password });
}
