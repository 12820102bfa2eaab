import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { Write } from '../../sqlite/patience.ts';
import type { Passwords } from '../../web/auth/passwords.ts';
import { hashOf, newSecret } from '../../web/auth/secrets.ts';
import type { Listing } from '../contracts.ts';
import type { Account } from './account.ts';
import type { Accounts } from './accounts.ts';
import type { MemberStore } from './member-store.ts';

export const INVITATION_DAYS = 7;
const INVITATION_MS = INVITATION_DAYS * 24 * 60 * 60 * 1000;

export type Acceptance =
  | { readonly kind: 'accepted'; readonly listing: Listing; readonly account: Account }
  /** The invitation stays open for another person. */
  | { readonly kind: 'member-already'; readonly listing: Listing }
  | { readonly kind: 'name-taken' }
  /** Used, expired, or never created. */
  | { readonly kind: 'gone' };

interface InvitationParts {
  readonly write: Write;
  readonly members: MemberStore;
  readonly accounts: Accounts;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: Random;
}

/** An invitation makes the first person who uses its code a manager. */
export class Invitations {
  constructor(private readonly parts: InvitationParts) {}

  /** Returns the code for the link. Only its hash is stored. */
  async invite(listingId: string): Promise<string> {
    const { members, write, clock, random } = this.parts;
    const now = clock.now();
    const code = newSecret(random);
    await write(() => {
      members.forgetExpiredInvitations(now);
      members.invite(hashOf(code), listingId, now + INVITATION_MS);
    });
    return code;
  }

  listingOf(code: string): Listing | null {
    return this.parts.members.invitation(hashOf(code), this.parts.clock.now());
  }

  accept(code: string, account: Account): Promise<Acceptance> {
    return this.parts.write((): Acceptance => {
      const { members } = this.parts;
      const listing = this.listingOf(code);
      if (listing === null) return { kind: 'gone' };
      if (!members.add(listing.id, account.id, 'manager')) return { kind: 'member-already', listing };
      this.use(code);
      return { kind: 'accepted', listing, account };
    });
  }

  /** The password is hashed before the transaction, because hashing is asynchronous and a transaction cannot be. */
  async acceptAsNew(code: string, name: string, password: string): Promise<Acceptance> {
    if (this.listingOf(code) === null) return { kind: 'gone' };
    const passwordHash = await this.parts.passwords.hash(password);
    return this.parts.write((): Acceptance => {
      const listing = this.listingOf(code);
      if (listing === null) return { kind: 'gone' };
      const account = this.parts.accounts.addHashed(name, passwordHash);
      if (account === null) return { kind: 'name-taken' };
      this.use(code);
      this.parts.members.add(listing.id, account.id, 'manager');
      return { kind: 'accepted', listing, account };
    });
  }

  private use(code: string): void {
    this.parts.members.useInvitation(hashOf(code), this.parts.clock.now());
  }
}
