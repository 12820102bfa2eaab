import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { type Database, openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

const HOUR = 3_600_000;

/** A ledger of version 5 with rewarded votes of one player: service, entry, and the window in hours. */
function upgraded(
  votes: readonly (readonly [service: string, site: string, start: number, end: number])[],
): Database {
  const file = join(temporaryFolder(), 'teller.db');
  const before = openDatabase(
    file,
    { ...ledgerSchema, migrations: ledgerSchema.migrations.slice(0, 5) },
    'create',
  );
  before.exec("INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve')");
  const insert = before.prepare(`
    INSERT INTO votes (service, site, recipient_id, player, cast_at, received_at, local_day, channel, decision,
                       window_start, window_end, wire)
    VALUES (@service, @site, 1, 'Steve', @start, @start, 0, 'listener-v2', 'rewarded', @start, @end, '{}')`);
  for (const [service, site, start, end] of votes) {
    insert.run({ service, site, start: start * HOUR, end: end * HOUR });
  }
  before.close();
  const database = openDatabase(file, ledgerSchema, 'create');
  onTestFinished(() => void database.close());
  return database;
}

const windowsOf = (database: Database): unknown[] =>
  database.prepare(`SELECT window_start / ${HOUR}, window_end / ${HOUR} FROM votes ORDER BY id`).raw().all();

test('a window that a service took before it was listed ends where the first window of its entry starts', () => {
  const database = upgraded([
    ['New.example', 'default', 0, 24],
    ['New.example', 'New.example', 2, 26],
    ['New.example', 'New.example', 26, 50],
  ]);
  expect(windowsOf(database)).toEqual([
    [0, 2],
    [2, 26],
    [26, 50],
  ]);
});

test('other windows stay as they are', () => {
  const votes = [
    ['One.example', 'default', 0, 24],
    ['Two.example', 'default', 24, 48],
    ['Listed.example', 'Listed.example', 1, 25],
    ['Other.example', 'Other.example', 1, 25],
  ] as const;
  expect(windowsOf(upgraded(votes))).toEqual([
    [0, 24],
    [24, 48],
    [1, 25],
    [1, 25],
  ]);
});
