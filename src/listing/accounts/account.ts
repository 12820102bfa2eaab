import type { Random } from '../../core/random.ts';
import { uuid7 } from '../../core/uuid.ts';
import type { Listing } from '../contracts.ts';

/** A person who can sign in. They can vote, and manage the listings on which they have a role. */
export interface Account {
  readonly id: string;
  readonly name: string;
  /** The chat-platform ID that the account votes with. */
  readonly userId: string;
}

/** Managers can do everything on a listing except remove it and invite or remove people. */
export type Role = 'owner' | 'manager';

export interface OwnListing extends Listing {
  readonly role: Role;
}

export interface Member {
  readonly account: Account;
  readonly role: Role;
}

const USER_ID_DIGITS = 18;

export const newAccount = (name: string, now: number, random: Random): Account => ({
  id: uuid7(now, random),
  name,
  userId: newUserId(random),
});

/** In the format of the chat platform's IDs. */
const newUserId = (random: Random): string =>
  `1${Array.from(random.bytes(USER_ID_DIGITS - 1), (byte) => byte % 10).join('')}`;
