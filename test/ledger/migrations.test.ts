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
import { TABLES } from '../../src/ledger/sqlite/tables.ts';
import { type Database, type Mode, openDatabase, type Schema } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

const ONE: Schema = {
  applicationId: 0x7e57,
  migrations: [{ version: 1, sql: 'CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT) STRICT' }],
};
const TWO: Schema = {
  ...ONE,
  migrations: [
    ...ONE.migrations,
    { version: 2, sql: "ALTER TABLE things ADD COLUMN colour TEXT; UPDATE things SET colour = 'red'" },
  ],
};
const BROKEN: Schema = {
  ...ONE,
  migrations: [
    ...ONE.migrations,
    { version: 2, sql: "UPDATE things SET name = 'gone'; CREATE TABLE things (again TEXT)" },
  ],
};

function open(file: string, schema: Schema, mode: Mode): Database {
  const database = openDatabase(file, schema, mode);
  onTestFinished(() => void database.close());
  return database;
}

const names = (database: Database): unknown[] => database.prepare('SELECT name FROM things').pluck().all();
const versionOf = (database: Database): unknown => database.pragma('user_version', { simple: true });

/** A file of the first version with one thing in it, closed. */
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
  test('is created by create with the latest version, WAL, synchronous FULL and foreign keys', () => {
    const file = join(temporaryFolder(), 'data.db');
    const database = open(file, TWO, 'create');
    const pragma = (name: string): unknown => database.pragma(name, { simple: true });
    expect(versionOf(database)).toBe(2);
    expect([pragma('application_id'), pragma('journal_mode')]).toEqual([0x7e57, 'wal']);
    expect([pragma('synchronous'), pragma('foreign_keys')]).toEqual([2, 1]);
    expect(existsSync(`${file}.before-1`) || existsSync(`${file}.before-2`)).toBe(false);
  });

  test('stays empty if one of its migrations fails', () => {
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

describe('an older file', () => {
  test('is migrated by create, which keeps everything and makes a copy of the old file', () => {
    const file = firstVersion();
    const database = open(file, TWO, 'create');
    expect(database.prepare('SELECT name, colour FROM things').all()).toEqual([
      { name: 'kept', colour: 'red' },
    ]);
    const copy = open(`${file}.before-2`, ONE, 'read');
    expect([versionOf(copy), names(copy)]).toEqual([1, ['kept']]);
  });

  test('is copied with the contents of its WAL while another process reads it', () => {
    const file = firstVersion();
    const reader = open(file, ONE, 'write');
    reader.exec('BEGIN');
    expect(names(reader)).toEqual(['kept']); // From here on the reader keeps the WAL from being reset.
    const writer = openDatabase(file, ONE, 'write');
    writer.prepare("INSERT INTO things (name) VALUES ('in the WAL')").run();
    open(file, TWO, 'create');
    writer.close();
    expect(names(open(`${file}.before-2`, ONE, 'read'))).toEqual(['kept', 'in the WAL']);
  });

  test.each(['write', 'read'] as const)('is refused by %s as ledger-older and not changed', (mode) => {
    const file = firstVersion();
    const before = readFileSync(file);
    expect(refusal(file, TWO, mode)).toBe('ledger-older');
    expect(readFileSync(file)).toEqual(before);
    expect(existsSync(`${file}.before-2`)).toBe(false);
  });

  test('is not changed if the migration fails', () => {
    const file = firstVersion();
    expect(() => openDatabase(file, BROKEN, 'create')).toThrow();
    const database = open(file, ONE, 'read');
    expect([versionOf(database), names(database)]).toEqual([1, ['kept']]);
  });
});

describe('a ledger of the latest version', () => {
  test.each(['create', 'write', 'read'] as const)('opens with %s, without a copy', (mode) => {
    const file = firstVersion();
    expect(names(open(file, ONE, mode))).toEqual(['kept']);
    expect(existsSync(`${file}.before-1`)).toBe(false);
  });

  test('opened to read cannot be written', () => {
    const database = open(firstVersion(), ONE, 'read');
    expect(() => database.prepare('DELETE FROM things').run()).toThrow(/readonly/);
  });
});

describe.each(['create', 'write', 'read'] as const)('opened with %s', (mode) => {
  test('a file of a newer version is ledger-newer and not changed', () => {
    const file = firstVersion();
    openDatabase(file, TWO, 'create').close();
    const before = readFileSync(file);
    expect(refusal(file, ONE, mode)).toBe('ledger-newer');
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
  expect(refusal(file, TWO, 'create')).toBe('ledger-locked');
});

test('the versions of the real schema start at 1 and have no gaps', () => {
  expect(ledgerSchema.migrations.map(({ version }) => version)).toEqual(
    ledgerSchema.migrations.map((_, index) => index + 1),
  );
});

test('the real schema has exactly the tables that a ledger needs to open', () => {
  const database = open(join(temporaryFolder(), 'teller.db'), ledgerSchema, 'create');
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
  expect(tables.pluck().all()).toEqual(TABLES);
});

test('a grant that waited for a user ID becomes refused, because a user ID never joins, and can be paid', () => {
  const file = join(temporaryFolder(), 'teller.db');
  const before = openDatabase(
    file,
    { ...ledgerSchema, migrations: ledgerSchema.migrations.slice(0, 3) },
    'create',
  );
  before.exec(`
    INSERT INTO recipients VALUES (1, 'user', '80351110224678912'), (2, 'player', 'steve');
    INSERT INTO votes (id, service, site, recipient_id, cast_at, received_at, channel, decision, cooldown_ms, wire)
      VALUES (1, 'List', 'List', 1, 0, 0, 'api', 'rewarded', 1, ''), (2, 'List', 'List', 2, 0, 0, 'api', 'rewarded', 1, '');
    INSERT INTO grants (vote_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice, state,
                        note, due_at, created_at, changed_at)
      VALUES (1, 1, NULL, 'coins', 'main', 0, 'always', 0, 'waiting', 'Player not found', 0, 0, 0),
             (2, 2, 'Steve', 'coins', 'main', 0, 'online', 0, 'waiting', NULL, 0, 0, 0);`);
  before.close();
  const states = open(file, ledgerSchema, 'create')
    .prepare('SELECT state FROM grants ORDER BY id')
    .pluck()
    .all();
  expect(states).toEqual(['refused', 'waiting']);
});
