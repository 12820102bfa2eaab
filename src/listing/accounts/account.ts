import type { Listing } from '../contracts.ts';

/** Somebody who can sign in: votes, and looks after the listings where there is a role. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** The chat-platform id that the account votes with. */
  readonly userId: string;
}

/** Managers do everything on a listing but choose who looks after it. */
export type Role = 'owner' | 'manager';

export interface OwnListing extends Listing {
  readonly role: Role;
}

export interface Member {
  readonly account: Account;
  readonly role: Role;
}
