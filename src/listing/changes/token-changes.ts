import type { Database } from '../../platform/sqlite/open.ts';
import { type StoredToken, Tokens } from '../store/tokens.ts';

/** The tokens of the developer API. */
export const tokenChanges = (database: Database) => {
  const tokens = new Tokens(database);
  return {
    addToken(token: StoredToken): void {
      tokens.add(token);
    },

    /** Gives a token the hash of a new one. False if the listing has no such token. */
    rotateToken: (listingId: string, tokenId: string, hash: Uint8Array): boolean =>
      tokens.rotate(listingId, tokenId, hash),

    /** False if the listing has no such token. */
    revokeToken: (listingId: string, tokenId: string, now: number): boolean =>
      tokens.revoke(listingId, tokenId, now),

    recordTokenUse(tokenId: string, now: number): void {
      tokens.recordUse(tokenId, now);
    },
  };
};
