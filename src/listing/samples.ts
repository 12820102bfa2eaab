import type { Game } from '../../protocol/webhook/payload.ts';
import type { Clock } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
import type { AccountsIn } from './accounts/accounts-in.ts';
import { type KeptPassword, type SampleAccounts, sampleAccounts } from './accounts/first-accounts.ts';
import type { Listing } from './contracts.ts';
import type { ListingStore } from './store/listing-store.ts';

interface SampleParts {
  readonly store: ListingStore;
  readonly accounts: AccountsIn;
  readonly clock: Clock;
  readonly dice: Dice;
}

export interface Samples extends SampleAccounts {
  readonly listings: readonly Listing[];
}

/** One of each kind; one of them premium, so that a weight other than 1 is seen. */
const LISTINGS: readonly { readonly name: string; readonly game: Game | null; readonly weight: number }[] = [
  { name: 'Sample Craft', game: 'minecraft', weight: 1 },
  { name: 'Sample Bot', game: null, weight: 1 },
  { name: 'Sample City', game: 'fivem', weight: 1 },
  { name: 'Sample Blocks', game: 'roblox', weight: 2 },
  { name: 'Sample Realm', game: 'hytale', weight: 1 },
];

/** People and listings to practise with. What is there already stays as it is. */
export async function ensureSamples(parts: SampleParts, kept: KeptPassword): Promise<Samples> {
  const { store, clock } = parts;
  const { accounts, members, store: accountStore } = parts.accounts;
  const people = await sampleAccounts({ accounts, store: accountStore, dice: parts.dice }, kept);
  const ownerId = people.owner.account.id;
  if (members.listingsOf(ownerId).length === 0) {
    await store.write(() => {
      for (const sample of LISTINGS) {
        const { id } = store.listings.add(sample, clock.now());
        members.add(id, ownerId, 'owner');
        members.add(id, people.manager.account.id, 'manager');
      }
    });
  }
  return { ...people, listings: members.listingsOf(ownerId) };
}
