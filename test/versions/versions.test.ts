import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { FOLDER, type Kind, nameOf, newestOf, olderFile, schemas } from './older-file.ts';

const KINDS: readonly Kind[] = ['ledger', 'listing'];

const earlier = (kind: Kind): number[] => Array.from({ length: newestOf(kind) - 1 }, (_, index) => index + 1);

const opened = (kind: Kind, file: string): Database => {
  const database = openDatabase(file, schemas[kind], 'create');
  onTestFinished(() => void database.close());
  return database;
};

/** A file of this version, opened and so migrated by this one. */
function migrated(kind: Kind, version: number): { database: Database; folder: string } {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'data.db'), olderFile(kind, version));
  return { database: opened(kind, join(folder, 'data.db')), folder };
}

/** The columns of every table, with type and default, and every index and trigger. */
function shapeOf(database: Database): object {
  const names = (type: string): string[] =>
    database
      .prepare('SELECT name FROM sqlite_schema WHERE type = ? ORDER BY name')
      .pluck()
      .all(type) as string[];
  const columns = (table: string): unknown[] =>
    database
      .prepare('SELECT name, type, "notnull", dflt_value, pk FROM pragma_table_info(?) ORDER BY name')
      .all(table);
  const tables = Object.fromEntries(names('table').map((table) => [table, columns(table)]));
  return { tables, indexes: names('index'), triggers: names('trigger') };
}

test('there is a file of every earlier version, and of no other (npx tsx test/versions/write-files.ts)', () => {
  const names = KINDS.flatMap((kind) => earlier(kind).map((version) => nameOf(kind, version)));
  expect(readdirSync(FOLDER).toSorted()).toEqual(names.toSorted());
});

describe.each(KINDS.flatMap((kind) => earlier(kind).map((version) => [kind, version] as const)))(
  'the file of %s version %i',
  (kind, version) => {
    test('becomes what a new file is, with its references in order, and is kept beside it', () => {
      const { database, folder } = migrated(kind, version);
      expect(database.pragma('user_version', { simple: true })).toBe(newestOf(kind));
      expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
      expect(database.pragma('foreign_key_check')).toEqual([]);
      expect(shapeOf(database)).toEqual(shapeOf(opened(kind, join(temporaryFolder(), 'new.db'))));
      const copies = readdirSync(folder).filter((name) => name.includes('.before-'));
      expect(copies).toContain(`data.db.before-${version + 1}`);
      expect(copies).toHaveLength(newestOf(kind) - version);
    });
  },
);

test.each(earlier('ledger'))(
  'votes, grants and commands of a ledger of version %i are all there',
  (version) => {
    const { database } = migrated('ledger', version);
    const rows = (sql: string): unknown[] => database.prepare(sql).raw().all();
    expect(rows('SELECT id, player, decision, wire FROM votes ORDER BY id')).toEqual([
      [1, 'Steve', 'rewarded', 'one'],
      [2, 'Steve', 'cooldown', 'two'],
    ]);
    expect(rows('SELECT id, reward, state FROM grants ORDER BY id')).toEqual([
      [1, 'daily', 'delivered'],
      [2, 'thanks', 'waiting'],
    ]);
    expect(rows('SELECT grant_id, outcome, reply FROM commands ORDER BY grant_id')).toEqual([
      [1, 'delivered', 'Gave 1 [Diamond] to Steve'],
      [2, null, null],
    ]);
  },
);

test.each(earlier('listing'))('the vote of a listing service of version %i is there', (version) => {
  const { database } = migrated('listing', version);
  expect(database.prepare('SELECT player, user_id FROM votes').raw().all()).toEqual([
    ['Steve', '80351110224678912'],
  ]);
});
