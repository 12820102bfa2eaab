import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { Problem } from '../core/problem.ts';
import { isBusy } from './patience.ts';
import { realName } from './system-error.ts';

/** A lock held until `release` or the end of the process, however it ends: the kernel frees it. */
export interface HeldLock {
  release(): void;
}

/** The lock of a ledger, the same one whatever links it is named by: two names would be two deliverers (rule 6). */
export const lockFileOf = (ledgerFile: string): string => `${realName(ledgerFile)}.lock`;

/**
 * Takes the lock on `file`, or returns null where another process holds it. An exclusive SQLite transaction on an
 * empty database is a portable kernel lock: Node has no flock of its own, and a file with a process id in it would
 * outlive kill -9. Throws a Problem: `data-unwritable`.
 */
export function takeLock(file: string): HeldLock | null {
  return withLockFile(file, {}, (database) => {
    try {
      database.exec('BEGIN EXCLUSIVE');
      return { release: () => database.close() };
    } catch (error) {
      database.close();
      if (isBusy(error)) return null;
      throw error;
    }
  });
}

/**
 * Whether some process holds the lock on `file` now. It makes no file; who tries to take the lock at this very moment
 * finds it held, since SQLite reads under a shared lock. Throws a Problem: `data-unwritable`.
 */
export function isLockHeld(file: string): boolean {
  if (!existsSync(file)) return false;
  return withLockFile(file, { readonly: true }, (database) => {
    try {
      database.prepare('SELECT count(*) FROM sqlite_schema').get();
      return false;
    } catch (error) {
      if (isBusy(error)) return true;
      throw error;
    } finally {
      database.close();
    }
  });
}

function withLockFile<Result>(
  file: string,
  options: Database.Options,
  body: (database: Database.Database) => Result,
): Result {
  try {
    return body(new Database(file, { ...options, timeout: 0 }));
  } catch (error) {
    // A TypeError is how better-sqlite3 reports a missing folder.
    if (!(error instanceof Database.SqliteError) && !(error instanceof TypeError)) throw error;
    throw new Problem(
      'data-unwritable',
      `The lock ${file} cannot be used (${error.message}); move away what is there, and check the folder’s owner and space.`,
      { cause: error },
    );
  }
}
