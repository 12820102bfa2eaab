import type { Database } from 'better-sqlite3';
import type { Listing } from '../contracts.ts';
import type { Account, Member, OwnListing, Role } from './account.ts';

/** The members of each listing, and invitations. A removed listing has no members. */
export class MemberStore {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  role(listingId: string, accountId: string): Role | null {
    return (this.statements.role.get(listingId, accountId) as Role | undefined) ?? null;
  }

  listingsOf(accountId: string): OwnListing[] {
    return this.statements.listingsOf.all(accountId) as OwnListing[];
  }

  /** Owners first. */
  members(listingId: string): Member[] {
    const rows = this.statements.members.all(listingId) as (Account & { readonly role: Role })[];
    return rows.map(({ role, ...account }) => ({ account, role }));
  }

  /** False if the account already has a role on the listing; that role does not change. */
  add(listingId: string, accountId: string, role: Role): boolean {
    return this.statements.add.run(listingId, accountId, role).changes === 1;
  }

  /** Removes managers only: nothing could give a new owner to a listing that has none. */
  removeManager(listingId: string, accountId: string): boolean {
    return this.statements.removeManager.run(listingId, accountId).changes === 1;
  }

  invite(hash: Uint8Array, listingId: string, expiresAt: number): void {
    this.statements.invite.run(hash, listingId, expiresAt);
  }

  invitation(hash: Uint8Array, now: number): Listing | null {
    return (this.statements.invitation.get(hash, now) as Listing | undefined) ?? null;
  }

  /** False if it is used or expired. Of several attempts at the same time, one succeeds. */
  useInvitation(hash: Uint8Array, now: number): boolean {
    return this.statements.useInvitation.run(hash, now).changes === 1;
  }

  forgetExpiredInvitations(now: number): void {
    this.statements.forgetExpiredInvitations.run(now);
  }
}

const LISTING = 'l.id, l.name, l.type, l.game, l.weight';

const prepareStatements = (db: Database) => ({
  role: db
    .prepare(`
    SELECT m.role FROM members m JOIN listings l ON l.id = m.listing_id AND l.removed_at IS NULL
    WHERE m.listing_id = ? AND m.account_id = ?`)
    .pluck(),
  listingsOf: db.prepare(`
    SELECT ${LISTING}, m.role FROM members m JOIN listings l ON l.id = m.listing_id AND l.removed_at IS NULL
    WHERE m.account_id = ? ORDER BY l.name COLLATE NOCASE, l.id`),
  members: db.prepare(`
    SELECT a.id, a.name, a.user_id AS userId, m.role FROM members m JOIN accounts a ON a.id = m.account_id
    WHERE m.listing_id = ? ORDER BY m.role = 'manager', a.name`),
  add: db.prepare(`
    INSERT INTO members (listing_id, account_id, role) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`),
  removeManager: db.prepare(`
    DELETE FROM members WHERE listing_id = ? AND account_id = ? AND role = 'manager'`),
  invite: db.prepare('INSERT INTO invitations (hash, listing_id, expires_at) VALUES (?, ?, ?)'),
  invitation: db.prepare(`
    SELECT ${LISTING} FROM invitations i JOIN listings l ON l.id = i.listing_id AND l.removed_at IS NULL
    WHERE i.hash = ? AND i.expires_at > ?`),
  useInvitation: db.prepare('DELETE FROM invitations WHERE hash = ? AND expires_at > ?'),
  forgetExpiredInvitations: db.prepare('DELETE FROM invitations WHERE expires_at <= ?'),
});
