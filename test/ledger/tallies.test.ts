import { expect, test } from 'vitest';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { DAY } from '../support/votes.ts';
import { NOON, unlisted } from './contract/tallies.ts';

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
