import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/schema.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { deciding, freshLedger } from '../support/ledgers.ts';
import { DAY } from '../support/votes.ts';
import { NOON, rowsOf, unlisted, votesIn } from './contract/tallies.ts';

test('earlier days of an unlisted service are merged into one row per decision', async () => {
  const { ledger, database } = freshLedger();
  for (let day = 0; day < 30; day++) await ledger.record([unlisted('Old', NOON + day * DAY)], deciding());
  expect(database.prepare('SELECT day > 0, votes FROM tallies ORDER BY day').raw().all()).toEqual([
    [0, 29],
    [1, 1],
  ]);
});

test('migrating an older ledger with 3,000 unlisted names keeps the newest, up to the cap', async () => {
  const file = join(temporaryFolder(), 'teller.db');
  const before = { ...ledgerSchema, migrations: ledgerSchema.migrations.slice(0, 3) };
  const old = openDatabase(file, before, 'create');
  const insert = old.prepare("INSERT INTO tallies VALUES (?, 'default', 20000, 'cooldown', 2, ?)");
  old.transaction(() => {
    for (let n = 0; n < 3_000; n++) insert.run(`Invented-${n}`, NOON + n);
  })();
  old.close();
  const rows = await rowsOf(freshLedger(file).ledger);
  expect(rows).toHaveLength(1_001);
  expect(votesIn(rows)).toBe(6_000);
  expect(rows.map(({ service }) => service)).toContain('Invented-2999');
});
