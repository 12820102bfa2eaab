import type { Game } from '../../protocol/webhook/payload.ts';
import type { Clock } from '../core/clock.ts';
import type { Random } from '../core/random.ts';
import type { AccountsIn } from './accounts/accounts-in.ts';
import { type KeptPassword, type SampleAccounts, sampleAccounts } from './accounts/first-accounts.ts';
import type { Listing } from './contracts.ts';
import type { ListingStore } from './store/listing-store.ts';
import { type ListingDetails, newListing } from './store/listings.ts';

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
const LISTINGS: readonly Sample[] = [
  {
    ...{ name: 'Sample Craft', game: 'minecraft', weight: 1, address: 'play.sample-craft.example' },
    description:
      'A survival server to try voting with. Vote with your player name and get a diamond.\n\nJava and Bedrock players can join. On this server, Bedrock names start with a dot.',
  },
  { ...{ name: 'Sample Bot', game: null, weight: 1, address: '' }, description: 'Keeps a small chat tidy.' },
  {
    ...{ name: 'Sample City', game: 'fivem', weight: 1, address: 'city.example:30120' },
    description: 'Slow-paced role play.',
  },
  {
    ...{ name: 'Sample Blocks', game: 'roblox', weight: 2, address: '' },
    description: 'Build together. This listing is premium, so each vote has weight 2.',
  },
  {
    ...{ name: 'Sample Realm', game: 'hytale', weight: 1, address: 'realm.example' },
    description: 'Adventure for small groups.',
  },
];

interface Sample extends ListingDetails {
  readonly name: string;
  readonly game: Game | null;
  readonly weight: number;
}

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
      details: { description: sample.description, address: sample.address },
      members: roles,
    }));
    await store.changes.addListings(added, now);
  }
  return { ...people, listings: members.listingsOf(ownerId) };
}
