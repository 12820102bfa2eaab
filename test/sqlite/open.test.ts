import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { Problem, type ProblemCode } from '../../src/core/problem.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { type Database, type Mode, openDatabase, type Schema } from '../../src/platform/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

const ONE: Schema = {
  applicationId: 0x7e57,
  version: 1,
  sql: 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT) STRICT',
};
const TWO: Schema = { ...ONE, version: 2 };
const BROKEN: Schema = { ...ONE, sql: `${ONE.sql}; CREATE TABLE things (again TEXT)` };

function open(file: string, schema: Schema, mode: Mode): Database {
  const database = openDatabase(file, schema, mode);
  onTestFinished(() => void database.close());
  return database;
}

const names = (database: Database): unknown[] => database.prepare('SELECT name FROM things').pluck().all();
const versionOf = (database: Database): unknown => database.pragma('user_version', { simple: true });

/** A file of version 1 with one thing in it, closed. */
function firstVersion(): string {
  const file = join(temporaryFolder(), 'data.db');
  const database = openDatabase(file, ONE, 'create');
  database.prepare("INSERT INTO things (name) VALUES ('kept')").run();
  database.close();
  return file;
}

/** The code of the Problem that opening throws. */
function refusal(file: string, schema: Schema, mode: Mode): ProblemCode {
  try {
    openDatabase(file, schema, mode).close();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  throw new Error('it opened');
}

describe('a fresh file', () => {
  test('is created by create with WAL, synchronous FULL and foreign keys', () => {
    const file = join(temporaryFolder(), 'data.db');
    const database = open(file, TWO, 'create');
    const pragma = (name: string): unknown => database.pragma(name, { simple: true });
    expect(versionOf(database)).toBe(2);
    expect([pragma('application_id'), pragma('journal_mode')]).toEqual([0x7e57, 'wal']);
    expect([pragma('synchronous'), pragma('foreign_keys')]).toEqual([2, 1]);
  });

  test('stays empty if its tables cannot be created', () => {
    const file = join(temporaryFolder(), 'data.db');
    expect(() => openDatabase(file, BROKEN, 'create')).toThrow(/already exists/);
    const left = new Sqlite(file);
    onTestFinished(() => void left.close());
    expect(versionOf(left)).toBe(0);
    expect(left.prepare('SELECT count(*) FROM sqlite_schema').pluck().get()).toBe(0);
  });

  test.each(['write', 'read'] as const)('is not created by %s, which says ledger-missing', (mode) => {
    const file = join(temporaryFolder(), 'data.db');
    expect(refusal(file, TWO, mode)).toBe('ledger-missing');
    expect(existsSync(file)).toBe(false);
  });

  test('may be an existing empty file', () => {
    const file = join(temporaryFolder({ 'data.db': '' }), 'data.db');
    expect(versionOf(open(file, TWO, 'create'))).toBe(2);
  });

  test('fails with data-unwritable in a folder that does not exist', () => {
    expect(refusal(join(temporaryFolder(), 'nowhere/data.db'), ONE, 'create')).toBe('data-unwritable');
  });

  test('fails with data-unwritable if its path is a folder', () => {
    const file = join(temporaryFolder(), 'data.db');
    mkdirSync(file);
    expect(refusal(file, ONE, 'create')).toBe('data-unwritable');
  });

  test.each([
    ['read', /-wal.*-shm/],
    ['write', /^(?!.*-wal)/],
  ] as const)(
    'in a folder that cannot be written is data-unwritable to %s, with a sentence of its own',
    (mode, words) => {
      const file = firstVersion();
      symlinkSync('nowhere', `${file}-shm`);
      expect(refusal(file, ONE, mode)).toBe('data-unwritable');
      expect(() => open(file, ONE, mode)).toThrow(words);
    },
  );

  test.skipIf(process.getuid?.() === 0)(
    'in a folder that is not writable is data-unwritable when it is created',
    () => {
      const folder = temporaryFolder();
      chmodSync(folder, 0o500);
      onTestFinished(() => chmodSync(folder, 0o700));
      expect(refusal(join(folder, 'data.db'), ONE, 'create')).toBe('data-unwritable');
    },
  );
});

describe('a ledger of this version', () => {
  test.each(['create', 'write', 'read'] as const)('opens with %s', (mode) => {
    const file = firstVersion();
    expect(names(open(file, ONE, mode))).toEqual(['kept']);
  });

  test('opened to read cannot be written', () => {
    const database = open(firstVersion(), ONE, 'read');
    expect(() => database.prepare('DELETE FROM things').run()).toThrow(/readonly/);
  });
});

describe.each(['create', 'write', 'read'] as const)('opened with %s', (mode) => {
  test.each([
    ['newer', 'ledger-newer', TWO, ONE],
    ['older', 'ledger-older', ONE, TWO],
  ] as const)('a file of a %s version is %s and not changed', (_, code, written, known) => {
    const file = join(temporaryFolder(), 'data.db');
    openDatabase(file, written, 'create').close();
    const before = readFileSync(file);
    expect(refusal(file, known, mode)).toBe(code);
    expect(readFileSync(file)).toEqual(before);
  });

  test('another program’s database is ledger-foreign and not changed', () => {
    const file = join(temporaryFolder(), 'data.db');
    const other = new Sqlite(file);
    other.exec('CREATE TABLE theirs (x); PRAGMA user_version = 1');
    other.close();
    const before = readFileSync(file);
    expect(refusal(file, ONE, mode)).toBe('ledger-foreign');
    expect(refusal(file, ledgerSchema, mode)).toBe('ledger-foreign');
    expect(readFileSync(file)).toEqual(before);
  });

  test.each([
    ['a text', Buffer.from('This is not a database, and it is longer than a header. '.repeat(20))],
    [
      'random bytes with the right first line',
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(4_080, 0x5a)]),
    ],
  ])('%s is ledger-corrupt and left as it was', (_, bytes) => {
    const file = join(temporaryFolder(), 'data.db');
    writeFileSync(file, bytes);
    expect(refusal(file, ONE, mode)).toBe('ledger-corrupt');
    expect(readFileSync(file)).toEqual(bytes);
  });

  test('a truncated file is ledger-corrupt', () => {
    const file = firstVersion();
    truncateSync(file, 4_096);
    expect(refusal(file, ONE, mode)).toBe('ledger-corrupt');
  });
});

test('a file that another process has locked is ledger-locked', () => {
  const file = firstVersion();
  const holder = new Sqlite(file);
  onTestFinished(() => void holder.close());
  holder.pragma('locking_mode = EXCLUSIVE');
  holder.exec('BEGIN EXCLUSIVE');
  expect(refusal(file, ONE, 'create')).toBe('ledger-locked');
});
