import { type ApiScope, scopesOf } from '../../../protocol/listing-api/scopes.ts';
import type { Random } from '../../core/random.ts';
import { uuid7 } from '../../core/uuid.ts';
import type { Database } from '../../sqlite/open.ts';
import type { Listing } from '../contracts.ts';
import { hashOfToken, newApiToken } from './api-token.ts';

/** A token as the dashboard lists it, without the token itself. */
export interface TokenEntry {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  readonly createdAt: number;
  /** Rounded to the minute. */
  readonly lastUsedAt: number | null;
}

/** The holder of a token. */
export interface Bearer {
  readonly tokenId: string;
  readonly scopes: readonly ApiScope[];
  readonly listing: Listing;
  readonly isListingRemoved: boolean;
  readonly lastUsedAt: number | null;
}

export type CreatedToken =
  /** `token` is shown only once. */
  | { readonly kind: 'created'; readonly id: string; readonly token: string }
  /** No scope was given, or one that a listing of this type cannot have. */
  | { readonly kind: 'scopes-not-allowed' };

/** Uses are recorded to the minute, so that not every request writes. */
const NOTED_EVERY_MS = 60_000;

export const shouldRecordUse = ({ lastUsedAt }: Bearer, now: number): boolean =>
  lastUsedAt === null || now - lastUsedAt >= NOTED_EVERY_MS;

interface BearerRow extends Omit<Listing, 'id'> {
  readonly tokenId: string;
  readonly scopes: string;
  readonly listingId: string;
  readonly isListingRemoved: number;
  readonly lastUsedAt: number | null;
}

export class Tokens {
  private readonly statements;

  constructor(
    database: Database,
    private readonly random: Random,
  ) {
    this.statements = prepareStatements(database);
  }

  create(listing: Listing, name: string, wanted: readonly ApiScope[], now: number): CreatedToken {
    const allowed = scopesOf(listing.type);
    const isAllowed = wanted.length > 0 && wanted.every((scope) => allowed.includes(scope));
    if (!isAllowed) return { kind: 'scopes-not-allowed' };
    const id = uuid7(now, this.random);
    const token = newApiToken(this.random);
    const scopes = JSON.stringify(allowed.filter((scope) => wanted.includes(scope)));
    this.statements.create.run({ id, listingId: listing.id, name, hash: hashOfToken(token), scopes, now });
    return { kind: 'created', id, token };
  }

  /** Returns the new token, which is shown only once, and revokes the old one; null if there is no such token. */
  rotate(listingId: string, tokenId: string): string | null {
    const token = newApiToken(this.random);
    const { changes } = this.statements.rotate.run(hashOfToken(token), tokenId, listingId);
    return changes === 1 ? token : null;
  }

  revoke(listingId: string, tokenId: string, now: number): boolean {
    return this.statements.revoke.run(now, tokenId, listingId).changes === 1;
  }

  /** Tokens that are not revoked, oldest first. */
  list(listingId: string): TokenEntry[] {
    const rows = this.statements.list.all(listingId) as (Omit<TokenEntry, 'scopes'> & { scopes: string })[];
    return rows.map((row) => ({ ...row, scopes: JSON.parse(row.scopes) }));
  }

  /** The holder of this token; null if it is unknown or revoked. */
  bearer(token: string): Bearer | null {
    const row = this.statements.bearer.get(hashOfToken(token)) as BearerRow | undefined;
    if (row === undefined) return null;
    const { tokenId, listingId, name, type, game, weight, lastUsedAt } = row;
    return {
      tokenId,
      scopes: JSON.parse(row.scopes),
      listing: { id: listingId, name, type, game, weight },
      isListingRemoved: row.isListingRemoved === 1,
      lastUsedAt,
    };
  }

  recordUse(tokenId: string, now: number): void {
    this.statements.recordUse.run(now, tokenId);
  }
}

const prepareStatements = (db: Database) => ({
  create: db.prepare(`
    INSERT INTO tokens (id, listing_id, name, hash, scopes, created_at)
    VALUES (@id, @listingId, @name, @hash, @scopes, @now)`),
  rotate: db.prepare(`
    UPDATE tokens SET hash = ?, last_used_at = NULL WHERE id = ? AND listing_id = ? AND revoked_at IS NULL`),
  revoke: db.prepare(
    'UPDATE tokens SET revoked_at = ? WHERE id = ? AND listing_id = ? AND revoked_at IS NULL',
  ),
  list: db.prepare(`
    SELECT id, name, scopes, created_at AS createdAt, last_used_at AS lastUsedAt
    FROM tokens WHERE listing_id = ? AND revoked_at IS NULL ORDER BY created_at, id`),
  bearer: db.prepare(`
    SELECT t.id AS tokenId, t.scopes, t.last_used_at AS lastUsedAt, l.id AS listingId, l.name, l.type, l.game,
           l.weight, l.removed_at IS NOT NULL AS isListingRemoved
    FROM tokens t JOIN listings l ON l.id = t.listing_id WHERE t.hash = ? AND t.revoked_at IS NULL`),
  recordUse: db.prepare('UPDATE tokens SET last_used_at = ? WHERE id = ?'),
});
