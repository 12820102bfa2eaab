import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/**
 * Whether a database is still the file that was opened. SQLite keeps writing to a database, or a -wal, that was moved,
 * removed or replaced, and those writes are lost. Without the same -shm, two processes do not exclude each other. The
 * check costs a few microseconds. A database in memory has no file.
 */
export function sameFileCheck({ name, memory }: Database): () => boolean {
  if (memory) return () => true;
  const isSame = [name, `${name}-wal`, `${name}-shm`].map(sameIdentity);
  let size = 0n;
  return () => {
    const isThere = isSame.map((check) => check());
    const now = seen(name)?.size ?? 0n;
    // An older copy that is written over the file keeps the inode but is smaller. A ledger is never vacuumed.
    if (isThere.includes(false) || now < size) return false;
    size = now;
    return true;
  };
}

/** Compares with the file as first seen. SQLite creates -wal and -shm only when it first needs them. */
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
