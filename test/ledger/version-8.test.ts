import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';

const DAY = 20_605;

const vote = (recipient: number, day: number, service: string, decision: string): string => `
  INSERT INTO votes (service, site, recipient_id, cast_at, received_at, local_day, channel, decision,
                     window_start, window_end, wire)
  VALUES ('${service}', '${service}', ${recipient}, ${day}, ${day}, ${day}, 'listener-v2', '${decision}', ${day},
          ${day + 1}, '{}');`;

/** A ledger of version 7 with votes of two players, migrated. */
function upgraded() {
  const file = join(temporaryFolder(), 'teller.db');
  const migrations = ledgerSchema.migrations.slice(0, 7);
  const older = openDatabase(file, { ...ledgerSchema, migrations }, 'create');
  older.exec(`
    INSERT INTO recipients (id, kind, key) VALUES (1, 'player', 'steve'), (2, 'player', 'alex');
    ${vote(1, DAY, 'A', 'rewarded')} ${vote(1, DAY, 'A', 'cooldown')} ${vote(1, DAY, 'B', 'rewarded')}
    ${vote(1, DAY + 1, 'A', 'too-old')} ${vote(1, DAY + 2, 'A', 'before-start')} ${vote(1, DAY + 3, 'A', 'cooldown')}
    ${vote(2, DAY, 'B', 'rewarded')} ${vote(2, DAY + 1, 'B', 'cooldown')}`);
  older.close();
  const database = openDatabase(file, ledgerSchema, 'create');
  onTestFinished(() => void database.close());
  return (sql: string): unknown[] => database.prepare(sql).raw().all();
}

test('earlier votes count in totals if they were rewarded, for each player, site and the network', () => {
  const rows = upgraded();
  expect(rows('SELECT of, counted FROM network_counts ORDER BY 1')).toEqual([
    ['site A', 1],
    ['site B', 2],
    ['total', 3],
  ]);
  expect(rows('SELECT id, counted FROM recipients ORDER BY 1')).toEqual([
    [1, 2],
    [2, 1],
  ]);
});

test('earlier votes mark the runs of their days, except those from before the start', () => {
  const rows = upgraded();
  expect(rows('SELECT recipient_id, first_day, last_day FROM voted_runs')).toEqual([[1, DAY, DAY + 1]]);
  expect(rows('SELECT id, run_from, run_to FROM recipients ORDER BY 1')).toEqual([
    [1, DAY + 3, DAY + 3],
    [2, DAY, DAY + 1],
  ]);
});

test('no reward is known yet, so none is paid for what was reached before', () => {
  expect(upgraded()('SELECT * FROM rewards')).toEqual([]);
});
