import type { Database } from 'better-sqlite3';
import { type ApiScope, scopesOf } from '../../../protocol/listing-api.ts';
import type { Random } from '../../core/random.ts';
import { uuid7 } from '../../core/uuid.ts';
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

/** A token as it is stored. */
export interface StoredToken {
  readonly id: string;
  readonly listingId: string;
  readonly name: string;
  readonly hash: Uint8Array;
  readonly scopes: readonly ApiScope[];
  readonly createdAt: number;
}

export type NewToken =
  /** `token` is shown only once. */
  | { readonly kind: 'new'; readonly stored: StoredToken; readonly token: string }
  /** No scope was given, or one that a listing of this type cannot have. */
  | { readonly kind: 'scopes-not-allowed' };

/** Draws a token with these scopes. It works once it is stored. */
export function newToken(
  { id: listingId, type }: Listing,
  name: string,
  wanted: readonly ApiScope[],
  { now, random }: { readonly now: number; readonly random: Random },
): NewToken {
  const allowed = scopesOf(type);
  const isAllowed = wanted.length > 0 && wanted.every((scope) => allowed.includes(scope));
  if (!isAllowed) return { kind: 'scopes-not-allowed' };
  const id = uuid7(now, random);
  const token = newApiToken(random);
  const scopes = allowed.filter((scope) => wanted.includes(scope));
  return {
    kind: 'new',
    stored: { id, listingId, name, hash: hashOfToken(token), scopes, createdAt: now },
    token,
  };
}

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

/** The statements of the tokens. */
export class Tokens {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  add({ scopes, ...token }: StoredToken): void {
    this.statements.add.run({ ...token, scopes: JSON.stringify(scopes) });
  }

  /** Replaces the token's hash, so that the old one stops working. False if the listing has no such token. */
  rotate(listingId: string, tokenId: string, hash: Uint8Array): boolean {
    return this.statements.rotate.run(hash, tokenId, listingId).changes === 1;
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
  add: db.prepare(`
    INSERT INTO tokens (id, listing_id, name, hash, scopes, created_at)
    VALUES (@id, @listingId, @name, @hash, @scopes, @createdAt)`),
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
