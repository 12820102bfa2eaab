import type { Database } from 'better-sqlite3';
import type { NewSession } from '../../web/auth/stored-sessions.ts';
import type { Account } from '../accounts/account.ts';
import { AccountStore } from '../accounts/account-store.ts';
import { MemberStore } from '../accounts/member-store.ts';
import type { Listing } from '../contracts.ts';

export type AcceptedInvitation =
  | { readonly kind: 'accepted'; readonly listing: Listing }
  /** The invitation stays open for another person. */
  | { readonly kind: 'member-already'; readonly listing: Listing }
  | { readonly kind: 'name-taken' }
  /** Used, expired, or never created. */
  | { readonly kind: 'gone' };

/** A code for one person to become a manager; only its hash is stored. */
export interface NewInvitation {
  readonly hash: Uint8Array;
  readonly listingId: string;
  readonly expiresAt: number;
}

export interface NewAccount {
  readonly account: Account;
  readonly passwordHash: string;
}

/** Accounts, sessions, members and invitations. */
export const accountChanges = (database: Database) => {
  const accounts = new AccountStore(database);
  const members = new MemberStore(database);
  return {
    /** False if the name is taken. */
    addAccount: ({ account, passwordHash }: NewAccount, now: number): boolean =>
      accounts.add(account, passwordHash, now),

    /** Also ends every session of the account. */
    setPassword(accountId: string, passwordHash: string): void {
      accounts.setPassword(accountId, passwordHash);
      accounts.endSessionsOf(accountId);
    },

    /** Also forgets the sessions that have expired. */
    openSession(session: NewSession, now: number): void {
      accounts.forgetExpiredSessions(now);
      accounts.openSession(session);
    },

    endSession(hash: Uint8Array): void {
      accounts.endSession(hash);
    },

    endSessionsOf(accountId: string): void {
      accounts.endSessionsOf(accountId);
    },

    /** False if they are not a manager of the listing. */
    removeManager: (listingId: string, accountId: string): boolean =>
      members.removeManager(listingId, accountId),

    /** Also forgets the invitations that have expired. */
    invite({ hash, listingId, expiresAt }: NewInvitation, now: number): void {
      members.forgetExpiredInvitations(now);
      members.invite(hash, listingId, expiresAt);
    },

    acceptInvitation(hash: Uint8Array, accountId: string, now: number): AcceptedInvitation {
      const listing = members.invitation(hash, now);
      if (listing === null) return { kind: 'gone' };
      if (!members.add(listing.id, accountId, 'manager')) return { kind: 'member-already', listing };
      members.useInvitation(hash, now);
      return { kind: 'accepted', listing };
    },

    acceptInvitationAsNew(
      hash: Uint8Array,
      { account, passwordHash }: NewAccount,
      now: number,
    ): AcceptedInvitation {
      const listing = members.invitation(hash, now);
      if (listing === null) return { kind: 'gone' };
      if (!accounts.add(account, passwordHash, now)) return { kind: 'name-taken' };
      members.useInvitation(hash, now);
      members.add(listing.id, account.id, 'manager');
      return { kind: 'accepted', listing };
    },
  };
};
