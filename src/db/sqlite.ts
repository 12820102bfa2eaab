/**
 * A SQLite file: how it is opened, what its connection is set to, how statements are compiled once, and when its -wal is copied into
 * it. Nothing here knows what is stored.
 */
import { type BigIntStats, existsSync, realpathSync, statfsSync, statSync } from 'node:fs';
import type { Database, Statement } from 'better-sqlite3';
import { commonJs } from '../core/common-js.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { makeFileSync } from '../platform/write-file.ts';
import { type DatabaseFault, databaseProblem, type Value } from './db.ts';

/** The driver; its types are those of `better-sqlite3`. */
export const Driver = commonJs('better-sqlite3') as typeof import('better-sqlite3');

export interface Schema {
  /** Stored in the file's header to recognize databases of other programs. */
  readonly applicationId: number;
  /** Greater than 0; grows with each change. */
  readonly version: number;
  readonly sql: string;
}

/** `create` creates tables, `write` changes an existing database, `read` changes nothing. Only `run` creates (rule 6). */
export type Mode = 'create' | 'write' | 'read';

/** SQLite's name for a database in a temporary file without a name, which is gone with the process, however that ends. */
export const TEMPORARY = '';

/** Waiting inside SQLite is harmless while a database is opened, because nothing else runs then. */
const OPENING_TIMEOUT_MS = 1_000;
const BUSY_PAUSE_MS = 20;
const CACHE_KIB = 16 * 1024;
/** A ledger's process runs some 150 different statements; an operator's searches have one for each set of filters. */
const STATEMENTS_KEPT = 512;

/** A statement with `?` for its parameters, and which value each of them gets. */
interface Compiled {
  readonly statement: Statement<unknown[]>;
  readonly order: readonly number[];
  /** Whether each comes once, as it is. */
  readonly isInOrder: boolean;
}

/** An open file with its compiled statements. */
export class SqliteFile {
  /** The one that was used last is the last. */
  private readonly statements = new Map<string, Compiled>();
  private readonly checkpoints: Checkpoints;
  /** Whether it is still the file that was opened: if not, nothing may be written. */
  readonly isSame: () => boolean;

  constructor(readonly connection: Database) {
    this.checkpoints = new Checkpoints(connection);
    this.isSame = sameFileCheck(connection);
  }

  get name(): string {
    return this.connection.name;
  }

  get isInTransaction(): boolean {
    return this.connection.inTransaction;
  }

  all(sql: string, values: readonly Value[]): unknown[] {
    const compiled = this.compiled(sql);
    return compiled.statement.all(...inOrder(values, compiled));
  }

  get(sql: string, values: readonly Value[]): unknown {
    const compiled = this.compiled(sql);
    return compiled.statement.get(...inOrder(values, compiled));
  }

  run(sql: string, values: readonly Value[]): number {
    const compiled = this.compiled(sql);
    return compiled.statement.run(...inOrder(values, compiled)).changes;
  }

  /** A number that changes when another connection has committed. */
  version(): number {
    return (this.get('PRAGMA data_version', []) as { readonly data_version: number }).data_version;
  }

  /** A deferred transaction that reads before it writes fails if another process wrote in between, so writers begin at once. */
  begin(how: 'to write' | 'to read', patienceMs: number): void {
    const sql = how === 'to write' ? 'BEGIN IMMEDIATE' : 'BEGIN';
    patiently(this.connection, patienceMs, () => this.run(sql, []));
  }

  /** For modules that must not load the driver themselves. */
  readonly isBusy = (error: unknown): boolean => isBusy(error);

  commit(): void {
    this.run('COMMIT', []);
  }

  /** Does nothing if SQLite has rolled the transaction back by itself, as it may after an error of the disk. */
  rollback(): void {
    if (this.connection.inTransaction) this.run('ROLLBACK', []);
  }

  /** Call this when a transaction has ended, with the error of it or of one of its calls. */
  ended(error: unknown): void {
    this.checkpoints.ended(error instanceof Driver.SqliteError && error.code === 'SQLITE_FULL');
  }

  /**
   * Copies the whole -wal into the file and makes it empty, so that nothing that was overwritten remains in it. Others that write
   * wait meanwhile.
   *
   * @returns false: another connection reads all this time, so it has to be tried again.
   */
  emptyWal(patienceMs: number): boolean {
    this.connection.pragma(`busy_timeout = ${patienceMs}`);
    try {
      const [row] = this.connection.pragma('wal_checkpoint(TRUNCATE)') as readonly {
        readonly busy: number;
      }[];
      return row?.busy === 0;
    } finally {
      this.connection.pragma('busy_timeout = 0');
    }
  }

  close(): void {
    this.connection.close();
  }

  /** Each text once: compiling a thousand statements when a ledger is opened took 27 ms of CPU and 5 MiB. */
  private compiled(sql: string): Compiled {
    const known = this.statements.get(sql);
    if (known !== undefined && this.statements.size < STATEMENTS_KEPT) return known;
    this.statements.delete(sql);
    const compiled = known ?? compile(this.connection, sql);
    this.statements.set(sql, compiled);
    if (this.statements.size > STATEMENTS_KEPT)
      this.statements.delete(this.statements.keys().next().value ?? '');
    return compiled;
  }
}

function compile(connection: Database, sql: string): Compiled {
  const order: number[] = [];
  const text = sql.replaceAll(/\$(\d+)/g, (_, number: string) => {
    order.push(Number(number) - 1);
    return '?';
  });
  return {
    statement: connection.prepare(text),
    order,
    isInOrder: order.every((value, at) => value === at),
  };
}

const inOrder = (values: readonly Value[], { order, isInOrder }: Compiled): readonly Value[] =>
  isInOrder && values.length === order.length ? values : order.map((at) => values[at] ?? null);

/** Whether another process has the database locked. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Driver.SqliteError && error.code.startsWith('SQLITE_BUSY');

/**
 * Runs statements, and waits inside SQLite while another process has the database locked. This blocks the thread, so it is for a
 * thread of its own and for commands that do nothing else meanwhile.
 */
export function patiently<Result>(connection: Database, patienceMs: number, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error) || patienceMs <= 0) throw error;
  }
  connection.pragma(`busy_timeout = ${Math.ceil(patienceMs)}`);
  try {
    return work();
  } finally {
    connection.pragma('busy_timeout = 0');
  }
}

/**
 * Opens a SQLite file in WAL mode with synchronous FULL: committed data survives kill -9 and power loss.
 *
 * @param onNew called before a new file is there, and again after, when links can be resolved.
 * @throws Problem `ledger-missing`, `ledger-corrupt`, `ledger-foreign`, `ledger-newer`, `ledger-older`, `ledger-locked`,
 * `data-unwritable`
 */
export function openSqlite(
  file: string,
  schema: Schema,
  mode: Mode,
  onNew: () => void = () => {},
): SqliteFile {
  const isNew = file !== TEMPORARY && !existsSync(file);
  if (isNew) requireMissingIsFine(file, mode);
  try {
    if (isNew) {
      onNew();
      makeFileSync(file);
    }
    const connection = new Driver(file, { readonly: mode === 'read', timeout: OPENING_TIMEOUT_MS });
    try {
      prepare(connection, file, schema, mode);
      if (isNew) onNew();
      // From here on, calls decide how long to wait: see `patiently`.
      connection.pragma('busy_timeout = 0');
      return new SqliteFile(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw openingProblem(error, file, mode);
  }
}

/** If a database is missing, SQLite would remove its -wal, and with it the last commits. A process that creates both creates the -wal last. */
function requireMissingIsFine(file: string, mode: Mode): void {
  const wal = `${file}-wal`;
  if ((statSync(wal, { throwIfNoEntry: false })?.size ?? 0) > 0 && !existsSync(file)) {
    const sentence = `There is no database at ${file}, but ${wal} still holds its last changes; put the database back, or remove ${wal} to start over.`;
    throw new Problem('ledger-missing', sentence);
  }
  if (mode !== 'create') throw missing(file);
}

const missing = (file: string): Problem =>
  new Problem('ledger-missing', `There is no ledger at ${file} yet; \`teller run\` creates it.`);

function prepare(connection: Database, file: string, schema: Schema, mode: Mode): void {
  const version = versionOf(connection, file, schema);
  if (mode !== 'read') {
    useWal(connection);
    connection.pragma('synchronous = FULL');
    connection.pragma(`wal_autocheckpoint = ${USUAL_PAGES}`);
    // What is removed is overwritten with zeros, so that nothing of a player who is forgotten remains in the file. Only when
    // SQLite makes room by moving rows to another page, it seldom leaves a copy of one in the old page (2 of 5,000 entries of an
    // index). VACUUM would remove it, but votes wait for minutes while a large ledger is copied.
    connection.pragma('secure_delete = ON');
    connection.pragma('foreign_keys = ON');
  }
  connection.pragma(`cache_size = -${CACHE_KIB}`);
  if (version !== 0) requireTables(connection, file, schema);
  else if (mode === 'create') createTables(connection, schema);
  else throw missing(file);
}

/** A file that lacks a part would otherwise be found out by the first call that needs it. */
function requireTables(connection: Database, file: string, { sql }: Schema): void {
  const present = connection.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all();
  const declared = [...sql.matchAll(/^\s*CREATE TABLE (\w+)/gm)].map(([, name]) => name);
  const lost = declared.filter((name) => !present.includes(name));
  if (lost.length === 0) return;
  const tables = lost.map((name) => `the table ${name}`).join(', ');
  throw new Problem(
    'ledger-failed',
    `${file} lacks ${tables}, which a ledger of its version has; restore the last backup.`,
  );
}

/** If several processes start with a new file at once, one creates the tables and the others wait for it. */
function createTables(connection: Database, { applicationId, version, sql }: Schema): void {
  const create = connection.transaction(() => {
    if (Number(connection.pragma('user_version', { simple: true })) === version) return;
    connection.exec(sql);
    connection.pragma(`application_id = ${applicationId}`);
    connection.pragma(`user_version = ${version}`);
  });
  create.immediate();
}

/**
 * SQLite's timeout does not apply when two processes switch a new file to WAL mode at once, or when one closes it while the other
 * opens it. So this retries.
 */
function useWal(connection: Database): void {
  for (let triesLeft = OPENING_TIMEOUT_MS / BUSY_PAUSE_MS; ; triesLeft--) {
    try {
      connection.pragma('journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || triesLeft <= 0) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_PAUSE_MS);
    }
  }
}

function versionOf(connection: Database, file: string, schema: Schema): number {
  // Read in one transaction, because another process may be creating the tables.
  const { version, applicationId, tables } = connection.transaction(() => ({
    version: Number(connection.pragma('user_version', { simple: true })),
    applicationId: Number(connection.pragma('application_id', { simple: true })),
    tables: connection.prepare('SELECT count(*) FROM sqlite_schema').pluck().get(),
  }))();
  const wasWritten = `${file} was written by`;
  if (applicationId !== schema.applicationId && tables !== 0)
    throw new Problem('ledger-foreign', `${file} is the database of another program; name another file.`);
  if (version > schema.version) {
    const sentence = `${wasWritten} a newer Teller (version ${version}, this one uses ${schema.version}); install that version again.`;
    throw new Problem('ledger-newer', sentence);
  }
  if (version !== 0 && version < schema.version) {
    const sentence = `${wasWritten} a Teller from before the first release (version ${version}, this one uses ${schema.version}), and cannot be used; move it to another folder, and a new one is created at the next start.`;
    throw new Problem('ledger-older', sentence);
  }
  return version;
}

function openingProblem(error: unknown, file: string, mode: Mode): unknown {
  const problem = (code: ProblemCode, sentence: string): Problem =>
    new Problem(code, `${sentence}.`, { cause: error });
  // better-sqlite3 reports a missing folder as a TypeError.
  if (error instanceof TypeError || isSystemError(error)) {
    const why = isSystemError(error) ? ` (${error.message})` : '';
    return problem('data-unwritable', `The folder of ${file} does not exist or cannot be used${why}`);
  }
  if (!(error instanceof Driver.SqliteError)) return error;
  const { message: why } = error;
  switch (faultOf(error)) {
    case 'corrupt':
      return problem(
        'ledger-corrupt',
        `${file} is not a readable database (${why}); restore the last backup, or name another file`,
      );
    case 'locked':
      return problem(
        'ledger-locked',
        `${file} is locked by another program; stop that program, then start again`,
      );
    default:
      return problem(
        'data-unwritable',
        mode === 'read'
          ? `${file} cannot be read (${why}); to read it, SQLite must create -wal and -shm files next to it: check the folder’s owner and space`
          : `${file} cannot be written (${why}); check the folder’s owner and space`,
      );
  }
}

/** The Problem for an error of an open database or its disk; any other error is returned as it is. @param name after “the”. */
export function usingProblem(error: unknown, name: string): unknown {
  if (isSystemError(error)) return databaseProblem('failed', name, error);
  return error instanceof Driver.SqliteError ? databaseProblem(faultOf(error), name, error) : error;
}

function faultOf({ code }: { readonly code: string }): DatabaseFault {
  if (code.startsWith('SQLITE_BUSY')) return 'locked';
  if (code === 'SQLITE_FULL') return 'full';
  return code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB' ? 'corrupt' : 'failed';
}

/** Whether Node reports an error of the operating system. */
export const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error;

/** The path with links resolved; unchanged if the file does not exist. @throws Problem `data-unwritable` */
export function realName(file: string): string {
  try {
    return existsSync(file) ? realpathSync(file) : file;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const sentence = `${file} cannot be accessed (${error.message}); check the folder’s owner and the disk.`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
}

/**
 * How far the -wal grows before its pages are copied into the file: 16 MiB. Pages that changed several times meanwhile are copied
 * once. With ten million votes, SQLite's default of 1,000 pages wrote 40 to 55 KiB for each vote, and this 34 to 43.
 */
const USUAL_PAGES = 4_000;
/** On a disk that is nearly full, where a -wal that grows takes the room that the file itself needs. */
const NEARLY_FULL_PAGES = 100;
/** With so much room, a -wal can grow to its usual size, and its pages can be copied into the file. */
const ENOUGH_BYTES = 64 * 1024 * 1024;

/** Decides when SQLite copies the -wal into the file. The -wal itself is used again from its beginning, and does not shrink. */
class Checkpoints {
  private isNearlyFull = false;
  /** Whether it was tried since the last success: it may write 16 MiB, and while nothing changes it would fail again. */
  private wasTried = false;

  constructor(private readonly connection: Database) {}

  ended(isFull: boolean): void {
    if (isFull) {
      this.isNearlyFull = true;
      this.connection.pragma(`wal_autocheckpoint = ${NEARLY_FULL_PAGES}`);
      if (this.wasTried) return;
      this.wasTried = true;
      try {
        this.connection.pragma('wal_checkpoint(PASSIVE)');
      } catch {
        // The file cannot grow either. With a little room, the next commit tries again.
      }
    } else if (this.isNearlyFull) {
      this.wasTried = false;
      this.isNearlyFull = roomFor(this.connection.name) < ENOUGH_BYTES;
      if (!this.isNearlyFull) this.connection.pragma(`wal_autocheckpoint = ${USUAL_PAGES}`);
    }
  }
}

function roomFor(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(file);
    return bavail * bsize;
  } catch {
    return 0; // asked again after the next commit
  }
}

/**
 * Whether a database is still the file that was opened. SQLite keeps writing to a database, or a -wal, that was moved, removed or
 * replaced, and those writes are lost. Without the same -shm, two processes do not exclude each other. The check costs a few
 * microseconds. A temporary database has no file.
 */
function sameFileCheck({ name, memory }: Database): () => boolean {
  if (memory || name === TEMPORARY) return () => true;
  const files = [name, `${name}-wal`, `${name}-shm`];
  const firsts: (BigIntStats | undefined)[] = [];
  let size = 0n;
  const isSame = (): boolean => {
    const found = files.map((file) => statSync(file, { bigint: true, throwIfNoEntry: false }));
    // SQLite creates -wal and -shm only when it first needs them.
    for (const [at, now] of found.entries()) firsts[at] ??= now;
    const length = found[0]?.size ?? 0n;
    // An older copy that is written over the file keeps the inode but is smaller. A ledger is never vacuumed.
    if (
      length < size ||
      found.some((now, at) => now?.ino !== firsts[at]?.ino || now?.dev !== firsts[at]?.dev)
    )
      return false;
    size = length;
    return true;
  };
  isSame();
  return isSame;
}
