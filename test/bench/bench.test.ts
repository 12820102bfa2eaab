import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { typedHere } from '../kit/apart.ts';
import { ledgerFileOf } from '../kit/ledger-file.ts';
import { furnish } from '../kit/place.ts';
import { placeEmptyLedger, temporaryFolder } from '../support/folder.ts';
import { fillLedger, playersOf } from './big-ledger.ts';

test('a filled ledger is whole and has the votes and grants of a large server', async () => {
  const [VOTES, NOW, DAY_MS] = [10_000, Date.parse('2026-06-01T12:00:00Z'), 86_400_000];
  const place = furnish(temporaryFolder());
  const file = ledgerFileOf(place);
  mkdirSync(dirname(file), { recursive: true });
  placeEmptyLedger(file);
  fillLedger({ file, votes: VOTES, now: NOW }, () => {});

  const { json: found } = await typedHere(place, 'check', '--deep', '--offline', '--json');
  const codes = found.map(({ mark, code }: { mark: string; code: string }) => `${mark} ${code}`);
  expect(codes.filter((each: string) => / (?:ledger|counts)/.test(each))).toEqual(['ok ledger', 'ok counts']);
  const [latest] = (await typedHere(place, 'votes', '--limit', '1', '--json')).json;
  expect([latest.id, NOW - Date.parse(latest.receivedAt) > 2 * DAY_MS]).toEqual([VOTES, true]);
  const { json: heavy } = await typedHere(place, 'votes', '--player', 'P0', '--limit', '100000', '--json');
  expect(heavy).toHaveLength(VOTES / 10);

  const database = new Sqlite(file, { readonly: true });
  const count = (sql: string) => database.prepare(sql).pluck().get() as number;
  expect(count('SELECT count(*) FROM players')).toBe(playersOf(VOTES));
  const rows = (sql: string) => database.prepare(sql).raw().all();
  const rewarded = count("SELECT count(*) FROM votes WHERE decision = 'rewarded'");
  const sums = 'SELECT count(DISTINCT service), sum(votes), sum(counted) FROM service_days';
  expect(rows(`${sums} WHERE site <> ''`)).toEqual([[30, VOTES, rewarded]]);
  expect(rows(`${sums} WHERE site = ''`)).toEqual([[1, VOTES, rewarded]]);
  const firstOfHours = rows('SELECT received_at / 3600000 AS hour, min(id) FROM votes GROUP BY hour');
  expect(rows('SELECT hour, first_vote FROM vote_hours')).toEqual(firstOfHours);
  const stateShare = (state: string) => count(`SELECT count(*) FROM grants WHERE state = '${state}'`);
  expect(stateShare('waiting') / VOTES).toBeCloseTo(0.01, 2);
  expect(stateShare('held') / stateShare('delivered')).toBeCloseTo(0.01, 2);
  expect(
    count(`SELECT count(*) FROM votes v WHERE decision = 'rewarded' AND 2 <> (
      SELECT count(DISTINCT reward) FROM grants g WHERE g.cause_id = v.id AND g.player_id = v.player_id AND json_array_length(g.commands) = 1)`),
  ).toBe(0);
  expect(
    count(`SELECT count(*) FROM (
      SELECT window_start < lag(window_end) OVER (PARTITION BY player_id, site ORDER BY window_start) AS overlaps
      FROM votes WHERE decision = 'rewarded') WHERE overlaps`),
  ).toBe(0);
  expect(
    count(`SELECT count(*) FROM votes v LEFT JOIN votes t ON t.id = v.taken_by AND t.player_id = v.player_id
           AND t.site = v.site AND t.window_end > v.cast_at AND t.decision = 'rewarded'
           WHERE v.decision = 'cooldown' AND t.id IS NULL`),
  ).toBe(0);
  database.close();
});
