import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/**
 * Whether a database still stands where it was opened. One that was moved, removed or replaced goes on taking writes
 * that nobody will find again. Costs a few microseconds; a database in memory has no file to lose.
 */
export function sameFileCheck({ name, memory }: Database): () => boolean {
  if (memory) return () => true;
  const opened = seen(name);
  let size = opened?.size ?? 0n;
  return () => {
    const now = seen(name);
    // One that is copied over in place keeps its number; it is older, so it is smaller. Nobody vacuums a ledger.
    if (now === null || now.identity !== opened?.identity || now.size < size) return false;
    size = now.size;
    return true;
  };
}

function seen(file: string): { readonly identity: string; readonly size: bigint } | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : { identity: `${found.dev}:${found.ino}`, size: found.size };
}
