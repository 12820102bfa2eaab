import type { Dice } from '../../core/dice.ts';
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

const USER_ID_DIGITS = 18;

/** In the form of the chat platform's ids. */
export const newUserId = (dice: Dice): string =>
  `1${Array.from(dice.bytes(USER_ID_DIGITS - 1), (byte) => byte % 10).join('')}`;
