import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { Passwords } from '../../web/auth/passwords.ts';
import type { AccountPages } from '../../web/site.ts';
import type { ListingDatabase } from '../database/listing-database.ts';
import type { Account } from './account.ts';
import { AccountStore } from './account-store.ts';
import { Accounts } from './accounts.ts';
import { Invitations } from './invitations.ts';
import { MemberStore } from './member-store.ts';
import { paths } from './paths.ts';

/** The parts that deal with accounts, each built once on the listing service's database. */
export interface AccountsIn {
  readonly store: AccountStore;
  readonly accounts: Accounts;
  readonly members: MemberStore;
  readonly invitations: Invitations;
}

interface AccountsInParts extends Pick<ListingDatabase, 'database' | 'changes'> {
  readonly clock: Clock;
  readonly random: Random;
  readonly passwords?: Passwords | undefined;
}

export function accountsIn({
  database,
  changes,
  clock,
  random,
  passwords = new Passwords(random),
}: AccountsInParts): AccountsIn {
  const store = new AccountStore(database);
  const members = new MemberStore(database);
  const accounts = new Accounts({ store, changes, passwords, clock, random });
  const invitations = new Invitations({ changes, members, passwords, clock, random });
  return { store, accounts, members, invitations };
}

/** What the page kit's frame needs to know about accounts. */
export const accountPages: AccountPages<Account> = {
  signIn: paths.signIn,
  signOut: paths.signOut,
  corner: ({ name }) => ({ label: name, href: paths.account, title: 'Your account' }),
};
