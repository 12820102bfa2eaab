import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DAY_MS } from '../../src/core/duration.ts';
import { damagesOf } from '../../src/ledger/deep-check.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { ledgerSchema } from '../../src/ledger/sqlite/schema.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fillLedger, playersOf } from './big-ledger.ts';

const VOTES = 20_000;
const NOW = Date.parse('2026-06-01T12:00:00Z');

test('a filled ledger is whole and has the votes and grants of a large server', async () => {
  const file = join(temporaryFolder(), 'teller.db');
  fillLedger({ file, votes: VOTES, now: NOW }, () => {});

  const ledger = await openLedger(file, 'write', { clock: systemClock });
  expect(await damagesOf(ledger)).toEqual([]);
  expect(await ledger.missing()).toBeNull();
  const [latest] = await ledger.votes({ limit: 1 });
  expect(latest).toMatchObject({ id: VOTES });
  expect(NOW - (latest?.receivedAt ?? 0)).toBeGreaterThan(2 * DAY_MS);
  expect(await ledger.votes({ recipient: 'P0', limit: VOTES })).toHaveLength(VOTES / 10);
  const tallies = await ledger.tallies(0);
  expect(tallies).toHaveLength(30);
  const decisions = tallies.flatMap(({ decisions }) => Object.entries(decisions));
  expect(decisions.reduce((votes, [, count]) => votes + count, 0)).toBe(VOTES);
  const { waiting = 0, held = 0, delivered = 0 } = await ledger.grantStates();
  expect(waiting / VOTES).toBeCloseTo(0.01, 2);
  expect(held / delivered).toBeCloseTo(0.01, 2);
  expect((await ledger.grants({ state: 'delivered', limit: 1 }))[0]?.commands).toHaveLength(1);
  await ledger.close();

  const database = openDatabase(file, ledgerSchema, 'read');
  const count = (sql: string) => database.prepare(sql).pluck().get();
  expect(database.pragma('foreign_key_check')).toEqual([]);
  expect(count('SELECT count(*) FROM recipients')).toBe(playersOf(VOTES));
  const rewarded = count("SELECT count(*) FROM votes WHERE decision = 'rewarded'");
  expect(count("SELECT counted FROM network_counts WHERE of = 'total'")).toBe(rewarded);
  expect(
    count(`SELECT count(*) FROM (
      SELECT window_start < lag(window_end) OVER (PARTITION BY recipient_id, site ORDER BY window_start) AS overlaps
      FROM votes WHERE decision = 'rewarded') WHERE overlaps`),
  ).toBe(0);
  expect(
    count(`SELECT count(*) FROM votes v LEFT JOIN votes t ON t.id = v.taken_by AND t.recipient_id = v.recipient_id
           AND t.site = v.site AND t.window_end > v.cast_at AND t.decision = 'rewarded'
           WHERE v.decision = 'cooldown' AND t.id IS NULL`),
  ).toBe(0);
  database.close();
});
