import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { StuckReading } from '../../src/ledger/sqlite/stuck-reading.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

test('a grant that was held before is found by what needs the operator, and nobody is said to have changed it', () => {
  const file = join(temporaryFolder(), 'teller.db');
  const migrations = ledgerSchema.migrations.slice(0, 26);
  const older = openDatabase(file, { ...ledgerSchema, migrations }, 'create');
  older.exec(`
    INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve');
    INSERT INTO grants (id, cause, cause_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice, state, reason, due_at, created_at, changed_at)
    VALUES (7, 'operator', 1, 1, 'Steve', 'daily', 'main', 0, 'online', 0, 'held', 'timeout', 0, 5, 6);`);
  older.close();
  const database = openDatabase(file, ledgerSchema, 'create');
  onTestFinished(() => void database.close());
  const { grants } = new StuckReading(database).grants({}, { limit: 9, lookAt: 9 });
  expect(grants).toMatchObject([{ id: 7, state: 'held', changedAt: 6, actions: [] }]);
});
