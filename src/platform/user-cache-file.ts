import { open } from 'node:fs/promises';
import { parseUserCache, type UserCache } from '../core/user-cache.ts';

/** A game server keeps at most 1,000 players, in about 120 kB. */
const BYTES_MAX = 1024 * 1024;

/** Says whether the file has changed. */
export type UserCacheStamp = string;

export type UserCacheReading =
  | (UserCache & { readonly stamp: UserCacheStamp | null })
  /** It is as it was at the stamp. */
  | { readonly kind: 'unchanged' };

/** Reads a `usercache.json` without blocking this thread, if it has changed since the stamp. Never rejects. */
export async function readUserCache(file: string, since: UserCacheStamp | null): Promise<UserCacheReading> {
  try {
    const handle = await open(file);
    try {
      const { mtimeMs, size } = await handle.stat();
      const stamp = `${mtimeMs} ${size}`;
      if (stamp === since) return { kind: 'unchanged' };
      if (size > BYTES_MAX) return { kind: 'fault', sentence: 'it is larger than 1 MiB', stamp };
      return { ...parseUserCache(await handle.readFile('utf8')), stamp };
    } finally {
      await handle.close();
    }
  } catch (error) {
    return { kind: 'fault', sentence: `it cannot be read (${(error as Error).message})`, stamp: null };
  }
}
