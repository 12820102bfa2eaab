import { existsSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { Problem } from '../../core/problem.ts';
import { makeFileSync } from '../write-file.ts';
import { isBusy } from './busy.ts';
import { Sqlite } from './driver.ts';
import { isSystemError, realName } from './system-error.ts';

/** A lock that is held until `release`, or until the process exits and the kernel frees it. */
export interface HeldLock {
  release(): void;
}

/** The lock file of a ledger. Links are resolved: two names for one ledger must not allow two deliverers (rule 6). */
export const lockFileOf = (ledgerFile: string): string => `${realName(ledgerFile)}.lock`;

/** A connection that nothing refers to may be collected, which closes it and frees its lock. */
const held = new Set<Database.Database>();

/**
 * Acquires the lock on `file`, or returns null if another process holds it. An exclusive SQLite transaction on an
 * empty database is a portable kernel lock: Node has no flock, and a file with a process ID in it would survive kill
 * -9. Throws a Problem: `data-unwritable`.
 */
export function acquireLock(file: string): HeldLock | null {
  return withLockFile(file, {}, (database) => {
    try {
      database.exec('BEGIN EXCLUSIVE');
      held.add(database);
      return { release: () => release(database) };
    } catch (error) {
      database.close();
      if (isBusy(error)) return null;
      throw error;
    }
  });
}

/**
 * Whether a process holds the lock on `file`. Creates no file. A process that tries to acquire the lock at this moment
 * fails, because SQLite reads under a shared lock. Throws a Problem: `data-unwritable`.
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

function release(database: Database.Database): void {
  database.close();
  held.delete(database);
}

function withLockFile<Result>(
  file: string,
  options: Database.Options,
  body: (database: Database.Database) => Result,
): Result {
  try {
    // Another user who can read it could hold it for ever.
    if (options.readonly !== true) makeFileSync(file);
    return body(new Sqlite(file, { ...options, timeout: 0 }));
  } catch (error) {
    // better-sqlite3 reports a missing folder as a TypeError.
    if (!(error instanceof Sqlite.SqliteError) && !(error instanceof TypeError) && !isSystemError(error))
      throw error;
    throw new Problem(
      'data-unwritable',
      `The lock file ${file} cannot be used (${error.message}); move it away, and check the folder’s owner and disk space.`,
      { cause: error },
    );
  }
}
