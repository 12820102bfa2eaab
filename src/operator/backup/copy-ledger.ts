import { rm } from 'node:fs/promises';
import Database from 'better-sqlite3';
import { Problem } from '../../core/problem.ts';
import { LOCKED_PATIENCE_MS } from '../../db/batch.ts';
import { openSqlite, patiently } from '../../db/sqlite.ts';
import { ledgerSchema } from '../../ledger/schema.ts';
import { makeFileSync } from '../../platform/write-file.ts';

/** Progress is reported after each step of 1 MiB. */
const PAGES_PER_STEP = 256;

export interface CopyOptions {
  readonly onProgress?: (copiedPages: number, totalPages: number) => void;
  readonly pagesPerStep?: number;
}

/**
 * Copies a consistent snapshot of a ledger in use into the new file `to`, without a WAL. The open read transaction
 * fixes the snapshot: without it, SQLite starts over at each write of another process and may never end.
 * Writers can continue, but their WAL cannot be emptied until the pages are copied. VACUUM INTO alone would do the same, but
 * reports no progress, and hides damage.
 * @throws Problem `ledger-…`, `data-unwritable`
 */
export async function copyLedger(
  from: string,
  to: string,
  { onProgress, pagesPerStep = PAGES_PER_STEP }: CopyOptions = {},
): Promise<void> {
  const whole = `${to}.whole`;
  const source = openSqlite(from, ledgerSchema, 'read').connection;
  try {
    patiently(source, LOCKED_PATIENCE_MS, () => {
      if (!source.inTransaction) source.exec('BEGIN');
      source.prepare('SELECT count(*) FROM sqlite_schema').get();
    });
    for (const file of [whole, to]) makeFileSync(file);
    await source.backup(whole, {
      progress: ({ totalPages, remainingPages }) => {
        onProgress?.(totalPages - remainingPages, totalPages);
        return pagesPerStep;
      },
    });
  } catch (error) {
    throw asProblem(error, to);
  } finally {
    source.close();
  }
  const fault = leaveWalMode(whole);
  if (fault !== null) {
    throw new Problem('ledger-corrupt', `${from} is damaged (${fault}), so it was not backed up.`);
  }
  copyRows(whole, to);
  await rm(whole);
}

/** Ends WAL mode, so that the copy is a single file that can be read from a read-only disk. */
function leaveWalMode(file: string): string | null {
  const database = new Database(file);
  try {
    database.pragma('journal_mode = DELETE');
    return faultIn(database);
  } catch (error) {
    return sqliteMessage(error);
  } finally {
    database.close();
  }
}

/**
 * Copies the rows of the ledger, and nothing that it no longer has. A copy of its pages has what is free in them too, where players
 * who were forgotten may be named: see `secure_delete` in src/db/sqlite.ts.
 */
function copyRows(from: string, to: string): void {
  const database = new Database(from, { readonly: true });
  try {
    database.prepare('VACUUM INTO ?').run(to);
  } catch (error) {
    throw asProblem(error, to);
  } finally {
    database.close();
  }
}

/**
 * What is wrong with a copy of a ledger; null if it is intact. Reads the whole file and writes nothing.
 * @throws Problem `backup-newer`
 */
export function faultOfCopy(file: string): string | null {
  try {
    const database = new Database(file, { readonly: true, fileMustExist: true });
    try {
      const version = Number(database.pragma('user_version', { simple: true }));
      if (version > ledgerSchema.version) {
        throw new Problem(
          'backup-newer',
          `${file} was written by a newer Teller; install that version to restore it.`,
        );
      }
      return faultIn(database);
    } finally {
      database.close();
    }
  } catch (error) {
    return sqliteMessage(error);
  }
}

function faultIn(database: Database.Database): string | null {
  if (database.pragma('application_id', { simple: true }) !== ledgerSchema.applicationId) {
    return 'it is not a ledger';
  }
  const answer = String(database.pragma('quick_check', { simple: true }));
  return answer === 'ok' ? null : answer;
}

function sqliteMessage(error: unknown): string {
  if (!(error instanceof Database.SqliteError)) throw error;
  return error.message;
}

function asProblem(error: unknown, to: string): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  if (error.code.startsWith('SQLITE_BUSY')) {
    return new Problem('ledger-locked', 'Another program has locked the ledger; try again.', {
      cause: error,
    });
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB') {
    const sentence = `The ledger is damaged (${error.message}), so it was not backed up.`;
    return new Problem('ledger-corrupt', sentence, { cause: error });
  }
  const sentence = `${to} cannot be written (${error.message}); check the folder’s owner and space.`;
  return new Problem('data-unwritable', sentence, { cause: error });
}
