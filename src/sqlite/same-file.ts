import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/**
 * Whether a database still stands where it was opened. One that was moved, removed or replaced goes on taking writes
 * that nobody will find again; so does one whose -wal was, and without the one -shm two processes do not exclude each
 * other. Costs a few microseconds; a database in memory has no file to lose.
 */
export function sameFileCheck({ name, memory }: Database): () => boolean {
  if (memory) return () => true;
  const isSame = [name, `${name}-wal`, `${name}-shm`].map(sameIdentity);
  let size = 0n;
  return () => {
    const isThere = isSame.map((check) => check());
    const now = seen(name)?.size ?? 0n;
    // One that is copied over in place keeps its number; it is older, so it is smaller. Nobody vacuums a ledger.
    if (isThere.includes(false) || now < size) return false;
    size = now;
    return true;
  };
}

/** From when a file is first seen it is always that one. SQLite makes the two beside it when it first needs them. */
function sameIdentity(file: string): () => boolean {
  let first = seen(file)?.identity ?? null;
  return () => {
    const now = seen(file)?.identity ?? null;
    first ??= now;
    return now === first;
  };
}

function seen(file: string): { readonly identity: string; readonly size: bigint } | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : { identity: `${found.dev}:${found.ino}`, size: found.size };
}
