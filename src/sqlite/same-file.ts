import { statSync } from 'node:fs';
import type { Database } from 'better-sqlite3';

/**
 * Whether a database still stands where it was opened. One that was moved, removed or replaced goes on taking writes
 * that nobody will find again. Costs a few microseconds; a database in memory has no file to lose.
 */
export function sameFileCheck({ name, memory }: Database): () => boolean {
  if (memory) return () => true;
  const opened = identityOf(name);
  return () => identityOf(name) === opened;
}

function identityOf(file: string): string | null {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}:${found.ino}`;
}
