import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { DAY } from '../support/votes.ts';
import { NOON, rowsOf, unlisted, votesIn } from './contract/tallies.ts';

const NOON_OF_DAY = NOON % DAY;

test.each(['default', 'Old'])(
  'earlier days of a service under the entry %s are merged into one row per decision',
  async (site) => {
    const { ledger, database } = freshLedger();
    for (let day = 0; day < 30; day++) {
      const vote = unlisted('Old', NOON + day * DAY, { site });
      await record(ledger, [vote, unlisted('Old', NOON + day * DAY, { site, player: 'Alex' })], rulesFor());
    }
    expect(database.prepare('SELECT day > 0, votes FROM tallies ORDER BY day').raw().all()).toEqual([
      [0, 58],
      [1, 2],
    ]);
    expect(await ledger.tallies(NOON + 29 * DAY - NOON_OF_DAY)).toEqual([
      { service: 'Old', site, lastAt: NOON + 29 * DAY, today: 2, decisions: { rewarded: 60 } },
    ]);
  },
);

test('the days of a ledger that kept them all are merged at its first vote, and count as before', async () => {
  const { ledger, database } = freshLedger();
  const day = Math.floor(NOON / DAY);
  const insert = database.prepare("INSERT INTO tallies VALUES ('Old', 'Old', ?, ?, 2, ?)");
  database.transaction(() => {
    for (let back = 1; back <= 1_000; back++)
      for (const decision of ['rewarded', 'cooldown']) insert.run(day - back, decision, NOON - back * DAY);
  })();
  const before = await ledger.tallies(day * DAY);
  expect(before).toEqual([
    {
      service: 'Old',
      site: 'Old',
      lastAt: NOON - DAY,
      today: 0,
      decisions: { rewarded: 2_000, cooldown: 2_000 },
    },
  ]);
  await record(ledger, [unlisted('Old', NOON, { site: 'Old' })], rulesFor());
  expect(await ledger.tallies(day * DAY)).toEqual([
    { service: 'Old', site: 'Old', lastAt: NOON, today: 1, decisions: { rewarded: 2_001, cooldown: 2_000 } },
  ]);
  expect(database.prepare('SELECT count(*) FROM tallies').pluck().get()).toBe(3);
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
