import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { AccountsIn } from './accounts/accounts-in.ts';
import { type KeptPassword, type SampleAccounts, sampleAccounts } from './accounts/first-accounts.ts';
import type { Listing } from './contracts.ts';
import type { ListingStore } from './store/listing-store.ts';
import { type NewListing, newListing } from './store/listings.ts';

interface SampleParts {
  readonly store: ListingStore;
  readonly accounts: AccountsIn;
  readonly clock: Clock;
  readonly random: Random;
}

export interface Samples extends SampleAccounts {
  readonly listings: readonly Listing[];
}

/** One listing of each kind. One is premium, to show a weight other than 1. */
const LISTINGS: readonly NewListing[] = [
  { name: 'Sample Craft', game: 'minecraft', weight: 1 },
  { name: 'Sample Bot', game: null, weight: 1 },
  { name: 'Sample City', game: 'fivem', weight: 1 },
  { name: 'Sample Blocks', game: 'roblox', weight: 2 },
  { name: 'Sample Realm', game: 'hytale', weight: 1 },
];

/** Creates the sample accounts and listings of practice. Existing ones do not change. */
export async function ensureSamples(parts: SampleParts, kept: KeptPassword): Promise<Samples> {
  const { store, clock } = parts;
  const { accounts, members, store: accountStore } = parts.accounts;
  const people = await sampleAccounts({ accounts, store: accountStore, random: parts.random }, kept);
  const ownerId = people.owner.account.id;
  if (members.listingsOf(ownerId).length === 0) {
    const now = clock.now();
    const roles = [
      { accountId: ownerId, role: 'owner' },
      { accountId: people.manager.account.id, role: 'manager' },
    ] as const;
    const added = LISTINGS.map((sample) => ({
      listing: newListing(sample, now, parts.random),
      members: roles,
    }));
    await store.changes.addListings(added, now);
  }
  return { ...people, listings: members.listingsOf(ownerId) };
}
