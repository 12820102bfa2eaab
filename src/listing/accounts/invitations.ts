import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { Passwords } from '../../web/auth/passwords.ts';
import { hashOf, newSecret } from '../../web/auth/secrets.ts';
import type { AcceptedInvitation } from '../changes/account-changes.ts';
import type { Changes } from '../changes/changes.ts';
import type { Listing } from '../contracts.ts';
import { type Account, newAccount } from './account.ts';
import type { MemberStore } from './member-store.ts';

export const INVITATION_DAYS = 7;
const INVITATION_MS = INVITATION_DAYS * 24 * 60 * 60 * 1000;

export type Acceptance =
  | { readonly kind: 'accepted'; readonly listing: Listing; readonly account: Account }
  | Exclude<AcceptedInvitation, { readonly kind: 'accepted' }>;

interface InvitationParts {
  readonly changes: Changes;
  readonly members: MemberStore;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: Random;
}

/** An invitation makes the first person who uses its code a manager. */
export class Invitations {
  constructor(private readonly parts: InvitationParts) {}

  /** Returns the code for the link. Only its hash is stored. */
  async invite(listingId: string): Promise<string> {
    const { changes, clock, random } = this.parts;
    const now = clock.now();
    const code = newSecret(random);
    await changes.invite({ hash: hashOf(code), listingId, expiresAt: now + INVITATION_MS }, now);
    return code;
  }

  listingOf(code: string): Listing | null {
    return this.parts.members.invitation(hashOf(code), this.parts.clock.now());
  }

  async accept(code: string, account: Account): Promise<Acceptance> {
    const { changes, clock } = this.parts;
    return withAccount(await changes.acceptInvitation(hashOf(code), account.id, clock.now()), account);
  }

  /** Creates an account for the person who accepts. */
  async acceptAsNew(code: string, name: string, password: string): Promise<Acceptance> {
    if (this.listingOf(code) === null) return { kind: 'gone' };
    const { changes, passwords, clock, random } = this.parts;
    const passwordHash = await passwords.hash(password);
    const now = clock.now();
    const account = newAccount(name, now, random);
    const accepted = await changes.acceptInvitationAsNew(hashOf(code), { account, passwordHash }, now);
    return withAccount(accepted, account);
  }
}

const withAccount = (accepted: AcceptedInvitation, account: Account): Acceptance =>
  accepted.kind === 'accepted' ? { ...accepted, account } : accepted;
