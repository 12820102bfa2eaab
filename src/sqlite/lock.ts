import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';

/** A lock held until `release` or the end of the process, however it ends: the kernel frees it. */
export interface HeldLock {
  release(): void;
}

/**
 * Takes the lock on `file`, or returns null where another process holds it. An exclusive SQLite transaction on an
 * empty database is a portable kernel lock: Node has no flock of its own, and a file with a process id in it would
 * outlive kill -9.
 */
export function takeLock(file: string): HeldLock | null {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec('BEGIN EXCLUSIVE');
    return { release: () => database.close() };
  } catch (error) {
    database.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}

/** Whether some process holds the lock on `file` now. Looks only: it makes no file and takes no lock. */
export function isLocked(file: string): boolean {
  if (!existsSync(file)) return false;
  const database = new Database(file, { readonly: true, timeout: 0 });
  try {
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return false;
  } catch (error) {
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return true;
    throw error;
  } finally {
    database.close();
  }
}
