import { existsSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { Problem } from '../../core/problem.ts';
import { makeFileSync } from '../write-file.ts';
import { isBusy } from './busy.ts';
import { useCheckpoints } from './checkpoints.ts';
import { Sqlite } from './driver.ts';
import { compileLater } from './later-statements.ts';
import { isSystemError } from './system-error.ts';

export type { Database } from 'better-sqlite3';

export interface Schema {
  /** Stored in the file's header to recognize databases of other programs. */
  readonly applicationId: number;
  /** Greater than 0; grows with each change. */
  readonly version: number;
  readonly sql: string;
  /** The functions that the SQL calls, by name. */
  readonly functions?: Readonly<Record<string, () => string>>;
}

/**
 * `create` creates tables, `write` changes an existing database, `read` changes nothing. Only `run` creates (rule
 * 6).
 */
export type Mode = 'create' | 'write' | 'read';

/** SQLite's name for a database in a temporary file without a name, which is gone with the process, however that ends. */
export const TEMPORARY = '';
const IN_MEMORY = ':memory:';

/** Waiting inside SQLite is harmless while a database is opened, because nothing else runs then. */
const OPENING_TIMEOUT_MS = 1_000;
const BUSY_PAUSE_MS = 20;
const CACHE_KIB = 16 * 1024;

/**
 * Opens a SQLite file in WAL mode with synchronous FULL: committed data survives kill -9 and power loss.
 * Throws a Problem: `ledger-missing`, `ledger-corrupt`, `ledger-foreign`, `ledger-newer`, `ledger-older`,
 * `ledger-locked`, `data-unwritable`.
 */
export function openDatabase(file: string, schema: Schema, mode: Mode): Database.Database {
  const isMissing = file !== TEMPORARY && file !== IN_MEMORY && !existsSync(file);
  if (isMissing) requireMissingIsFine(file, mode);
  try {
    if (isMissing) makeFileSync(file);
    const database = new Sqlite(file, { readonly: mode === 'read', timeout: OPENING_TIMEOUT_MS });
    try {
      prepare(database, file, schema, mode);
      // From here on, calls decide how long to wait: see `patiently`.
      database.pragma('busy_timeout = 0');
      compileLater(database);
      return database;
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw asProblem(error, file, mode);
  }
}

/** If a database is missing, SQLite would remove its -wal, and with it the last commits. */
function requireMissingIsFine(file: string, mode: Mode): void {
  const wal = `${file}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    const sentence = `There is no database at ${file}, but ${wal} still holds its last changes; put the database back, or remove ${wal} to start over.`;
    throw new Problem('ledger-missing', sentence);
  }
  if (mode !== 'create') throw missing(file);
}

const missing = (file: string): Problem =>
  new Problem('ledger-missing', `There is no ledger at ${file} yet; \`teller run\` creates it.`);

function prepare(database: Database.Database, file: string, schema: Schema, mode: Mode): void {
  const version = versionOf(database, file, schema);
  if (mode !== 'read') {
    useWal(database);
    database.pragma('synchronous = FULL');
    useCheckpoints(database);
    // What is removed is overwritten with zeros, so that nothing of a player who is forgotten remains in the file. Only when
    // SQLite makes room by moving rows to another page, it seldom leaves a copy of one in the old page (2 of 5,000 entries of an
    // index). VACUUM would remove it, but votes wait for minutes while a large ledger is copied.
    database.pragma('secure_delete = ON');
    database.pragma('foreign_keys = ON');
  }
  database.pragma(`cache_size = -${CACHE_KIB}`);
  if (version !== 0) return;
  if (mode !== 'create') throw missing(file);
  createTables(database, schema);
}

/** If several processes start with a new file at once, one creates the tables and the others wait for it. */
function createTables(database: Database.Database, { applicationId, version, sql, functions }: Schema): void {
  for (const [name, called] of Object.entries(functions ?? {})) database.function(name, called);
  const create = database.transaction(() => {
    if (Number(database.pragma('user_version', { simple: true })) === version) return;
    database.exec(sql);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${version}`);
  });
  create.immediate();
}

/**
 * SQLite's timeout does not apply when two processes switch a new file to WAL mode at once, or when one closes it while
 * the other opens it. So this retries.
 */
function useWal(database: Database.Database): void {
  for (let triesLeft = OPENING_TIMEOUT_MS / BUSY_PAUSE_MS; ; triesLeft--) {
    try {
      database.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || triesLeft <= 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
    }
  }
}

function versionOf(database: Database.Database, file: string, schema: Schema): number {
  // Read in one transaction, because another process may be creating the tables.
  const { version, applicationId, tables } = database.transaction(() => ({
    version: Number(database.pragma('user_version', { simple: true })),
    applicationId: Number(database.pragma('application_id', { simple: true })),
    tables: database.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  }))();
  if (applicationId !== schema.applicationId && tables !== 0) {
    throw new Problem('ledger-foreign', `${file} is the database of another program; name another file.`);
  }
  if (version > schema.version) {
    throw new Problem(
      'ledger-newer',
      `${file} was written by a newer Teller (version ${version}, this one uses ${schema.version}); install that version again.`,
    );
  }
  if (version !== 0 && version < schema.version) {
    throw new Problem(
      'ledger-older',
      `${file} was written by a Teller from before the first release (version ${version}, this one uses ${schema.version}), and cannot be used; move it to another folder, and a new one is created at the next start.`,
    );
  }
  return version;
}

function asProblem(error: unknown, file: string, mode: Mode): unknown {
  if (!(error instanceof Sqlite.SqliteError)) return unwritable(error, file);
  const code = error.code;
  if (code.startsWith('SQLITE_NOTADB') || code.startsWith('SQLITE_CORRUPT')) {
    return new Problem(
      'ledger-corrupt',
      `${file} is not a readable database (${error.message}); restore the last backup, or name another file.`,
      { cause: error },
    );
  }
  if (code.startsWith('SQLITE_BUSY')) {
    return new Problem(
      'ledger-locked',
      `${file} is locked by another program; stop that program, then start again.`,
      {
        cause: error,
      },
    );
  }
  const trouble = `cannot be ${mode === 'read' ? 'read' : 'written'} (${error.message})`;
  const remedy =
    mode === 'read'
      ? 'to read it, SQLite must create -wal and -shm files next to it: check the folder’s owner and space'
      : 'check the folder’s owner and space';
  return new Problem('data-unwritable', `${file} ${trouble}; ${remedy}.`, { cause: error });
}

/** better-sqlite3 reports a missing folder as a TypeError. */
function unwritable(error: unknown, file: string): unknown {
  if (!(error instanceof TypeError) && !isSystemError(error)) return error;
  const why = isSystemError(error) ? ` (${error.message})` : '';
  return new Problem('data-unwritable', `The folder of ${file} does not exist or cannot be used${why}.`, {
    cause: error,
  });
}
