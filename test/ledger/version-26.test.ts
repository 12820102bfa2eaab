import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

test('days in a row that were imported before stay, and no party has imported votes', () => {
  const file = join(temporaryFolder(), 'teller.db');
  const migrations = ledgerSchema.migrations.slice(0, 25);
  const older = openDatabase(file, { ...ledgerSchema, migrations }, 'create');
  older.exec(`
    INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve'), (2, 'player', 'alex');
    INSERT INTO imports (id, source, as_of, imported_at, imported_by) VALUES (7, 'votingplugin', 1, 1, 'ann');
    INSERT INTO balance_runs VALUES (1, 'votingplugin', 20605, 20616, 40, 7), (2, 'votingplugin', NULL, NULL, 3, 7);
    INSERT INTO parties (reward_id, number, counted, after_vote, after_listed, per, period) VALUES (1, 3, 12, 0, 0, '', 0);`);
  older.close();
  const database = openDatabase(file, ledgerSchema, 'create');
  onTestFinished(() => void database.close());
  expect(database.prepare('SELECT * FROM imported_runs').raw().all()).toEqual([
    [1, 'votingplugin', 'day', 20_605, 20_616, 40, 7],
    [2, 'votingplugin', 'day', null, null, 3, 7],
  ]);
  expect(database.prepare('SELECT counted, imported FROM parties').raw().all()).toEqual([[12, 0]]);
});
