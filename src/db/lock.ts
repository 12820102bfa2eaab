/**
 * Two small files beside a ledger: the lock, which only the process that delivers holds (rule 6), and the mark, which shows at the
 * next start whether the ledger has lost its newest part.
 */
import { closeSync, existsSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Database, Options } from 'better-sqlite3';
import { Problem } from '../core/problem.ts';
import { makeFileSync, OWNER_ONLY } from '../platform/write-file.ts';
import { Driver, isBusy, isSystemError, realName } from './sqlite.ts';

/** A lock that is held until `release`, or until the process exits and the kernel frees it. */
export interface HeldLock {
  release(): void;
}

/** The lock file of a ledger. Links are resolved: two names for one ledger must not allow two deliverers. */
export const lockFileOf = (ledgerFile: string): string => `${realName(ledgerFile)}.lock`;

/** A connection that nothing refers to may be collected, which closes it and frees its lock. */
const held = new Set<Database>();

/**
 * Acquires the lock on a file; null if another process holds it. An exclusive SQLite transaction on an empty database is a portable
 * kernel lock: Node has no flock, and a file with a process ID in it would survive kill -9.
 *
 * @throws Problem `data-unwritable`
 */
export function acquireLock(file: string): HeldLock | null {
  return withLockFile(file, {}, (database) => {
    try {
      database.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      database.close();
      if (isBusy(error)) return null;
      throw error;
    }
    held.add(database);
    return {
      release: () => {
        database.close();
        held.delete(database);
      },
    };
  });
}

/**
 * Whether a process holds the lock on a file. Creates no file. A process that tries to acquire the lock at this moment fails,
 * because SQLite reads under a shared lock.
 *
 * @throws Problem `data-unwritable`
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

function withLockFile<Result>(file: string, options: Options, body: (database: Database) => Result): Result {
  try {
    // Another user who can read it could hold it for ever.
    if (options.readonly !== true) makeFileSync(file);
    return body(new Driver(file, { ...options, timeout: 0 }));
  } catch (error) {
    // better-sqlite3 reports a missing folder as a TypeError.
    if (!(error instanceof Driver.SqliteError) && !(error instanceof TypeError) && !isSystemError(error))
      throw error;
    const sentence = `The lock file ${file} cannot be used (${error.message}); move it away, and check the folder’s owner and disk space.`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
}

/**
 * A number in a file beside a database: how many commands were ever claimed. At the next start it shows whether the database has
 * lost its newest part, because the -wal was deleted or the file was replaced by an old copy. It is written after the commit it
 * stands for, so it is never ahead of the database. It is not flushed: after a power failure it can miss the last few commits.
 */
export interface Mark {
  /** Never throws: if the mark cannot be written, it stays behind until the next number. */
  set(value: number): void;
  close(): void;
}

export const markFileOf = (databaseFile: string): string => `${realName(databaseFile)}.mark`;

const DIGITS = 16;
/** The number is written twice, so that a slot torn by a crash is recognized. */
const SLOT = /^(\d{16}) \1\n$/;
const SLOT_BYTES = 2 * DIGITS + 2;

/** The number in a mark; null if there is none or it cannot be read. */
export function readMark(file: string): number | null {
  const text = contentOf(file);
  const slots = [text.slice(0, SLOT_BYTES), text.slice(SLOT_BYTES, 2 * SLOT_BYTES)];
  const values = slots.flatMap((slot) => SLOT.exec(slot)?.[1] ?? []).map(Number);
  return values.length === 0 ? null : Math.max(...values);
}

function contentOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}

/** Writes to two slots in turn, so that an incomplete write leaves the previous number. */
export function openMark(file: string): Mark {
  let descriptor: number | null = null;
  return {
    set: (value) => {
      try {
        descriptor ??= openForWriting(file);
        writeSync(descriptor, slotOf(value), (value % 2) * SLOT_BYTES);
      } catch {
        // A mark that is behind is harmless, and the claimed command must not fail because of it.
      }
    },
    close: () => {
      if (descriptor !== null) closeSync(descriptor);
      descriptor = null;
    },
  };
}

/** For a new database: an existing mark belongs to an earlier one. */
export function resetMark(file: string): void {
  if (!existsSync(file)) return;
  const descriptor = openForWriting(file);
  try {
    writeSync(descriptor, slotOf(0) + slotOf(0), 0);
  } finally {
    closeSync(descriptor);
  }
}

const openForWriting = (file: string): number => openSync(file, existsSync(file) ? 'r+' : 'w+', OWNER_ONLY);

function slotOf(value: number): string {
  const digits = String(value).padStart(DIGITS, '0');
  return `${digits} ${digits}\n`;
}
