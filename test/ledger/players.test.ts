import { describe, expect, test } from 'vitest';
import type { PlayerName } from '../../src/core/player-name.ts';
import { damagesOf, wrongCountsOf } from '../../src/ledger/deep-check.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { Database } from '../../src/platform/sqlite/open.ts';
import { freshLedger, record, rulesFor, THANKS } from '../support/ledgers.ts';
import { arrival, DAY } from '../support/votes.ts';

const ALEX = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const STRANGER = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const BEDROCK = '00000000-0000-0000-0009-000000000001';
const AT = Date.UTC(2026, 5, 29, 12);
const rules = rulesFor(THANKS);

const see = (ledger: Ledger, name: string, uuid: string) =>
  ledger.storeSeen({ players: [{ name, uuid }], server: 'main', rules }, AT);

const cast = (player: string, day: number) =>
  arrival({ player, site: 'List', receivedAt: arrival().vote.receivedAt + day * DAY });

/** Alex, whose UUID is known, and Sasha, each with votes on two days. */
async function alexAndSasha() {
  const fresh = freshLedger();
  await record(fresh.ledger, [cast('Alex', 0), cast('Alex', 1), cast('Sasha', 2), cast('Sasha', 5)], rules);
  await see(fresh.ledger, 'Alex', ALEX);
  return fresh;
}

describe('the operator is refused to', () => {
  const merge = (ledger: Ledger, name: string, into: string) =>
    ledger.mergePlayers({ name: name as PlayerName, into: into as PlayerName, by: 'ann', rules }, AT);
  const split = (ledger: Ledger, name: string) =>
    ledger.splitPlayer({ name: name as PlayerName, by: 'ann' }, AT);

  test.each([
    ['join a name that nobody has', (ledger: Ledger) => merge(ledger, 'Kim', 'Alex'), 'player-missing'],
    ['join a player to nobody', (ledger: Ledger) => merge(ledger, 'Alex', 'Kim'), 'player-missing'],
    ['join a player to themselves', (ledger: Ledger) => merge(ledger, 'Alex', 'alex'), 'players-same'],
    ['split a name that nobody has', (ledger: Ledger) => split(ledger, 'Kim'), 'player-missing'],
    ['split a name that was not joined', (ledger: Ledger) => split(ledger, 'Alex'), 'player-not-joined'],
  ])('%s', async (_, change, code) => {
    const { ledger } = await alexAndSasha();
    expect(await change(ledger)).toEqual({ kind: 'refused', code });
  });

  test('join players with UUIDs of the same kind', async () => {
    const { ledger } = await alexAndSasha();
    await see(ledger, 'Sasha', STRANGER);
    expect(await merge(ledger, 'Sasha', 'Alex')).toEqual({ kind: 'refused', code: 'players-differ' });
  });

  test('join players who had the same name, because no split could tell their votes apart', async () => {
    const { ledger } = await alexAndSasha();
    await see(ledger, 'Alex', BEDROCK);
    await see(ledger, 'Kim', ALEX);
    expect(await merge(ledger, 'Alex', 'Kim')).toEqual({ kind: 'refused', code: 'players-shared-name' });
  });
});

describe('a check of the whole ledger', () => {
  test('finds nothing wrong with joined players, even if their windows overlap', async () => {
    const { ledger } = freshLedger();
    await record(ledger, [cast('Alex', 0), cast('Sasha', 0), cast('Sasha', 1)], rules);
    await see(ledger, 'Alex', ALEX);
    await see(ledger, 'Sasha', ALEX);
    expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
    expect(await damagesOf(ledger)).toEqual([]);
  });

  test('finds votes that were left with a joined name, and a recount moves them', async () => {
    const { ledger, database } = await alexAndSasha();
    await see(ledger, 'Sasha', ALEX);
    database.exec("UPDATE votes SET recipient_id = 2 WHERE player = 'Sasha'");
    const wrong = await wrongCountsOf(ledger);
    expect(wrong).toMatchObject({ recipients: [1, 2], network: false });
    await ledger.recount(wrong);
    expect(await wrongCountsOf(ledger)).toMatchObject({ recipients: [], network: false });
    expect(await ledger.players('Sasha')).toMatchObject([{ votes: 4 }]);
  });
});

test('a name that is given up and back again all the time needs no more rows', async () => {
  const { ledger, database } = await alexAndSasha();
  for (let times = 0; times < 3; times++) {
    await see(ledger, 'Alex', STRANGER);
    await see(ledger, 'Alex', ALEX);
  }
  expect(database.prepare('SELECT count(*) FROM recipients').pluck().get()).toBe(3);
  expect(await ledger.players('Alex')).toMatchObject([{ votes: 2 }, { votes: 0 }]);
});

/** Gives a row of Sasha to each table that has none: in its columns, what belongs to Sasha, and otherwise 1. */
function fillTables(database: Database, tables: readonly string[]): void {
  const sashas: Readonly<Record<string, unknown>> = {
    ...{ recipient_id: 2, vote_id: 3, grant_id: 3, reward: 'thanks', occasion: 'total 2' },
  };
  database.pragma('foreign_keys = OFF');
  database.pragma('ignore_check_constraints = ON');
  for (const table of tables) {
    if (database.prepare(`SELECT 1 FROM ${table} WHERE recipient_id = 2`).get() !== undefined) continue;
    const columns = database.prepare('SELECT name FROM pragma_table_info(?) WHERE name <> ?').pluck();
    const names = columns.all(table, 'id') as string[];
    const values = names.map((name) => sashas[name] ?? 1);
    database.prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`).run(values);
  }
}

test('whatever table refers to recipients, nothing is left with a name that is joined', async () => {
  const { ledger, database } = await alexAndSasha();
  await ledger.useConfig({ rewards: [THANKS], today: 0 });
  const tables = database
    .prepare(`
      SELECT m.name FROM sqlite_schema m, pragma_table_info(m.name) c
      WHERE m.type = 'table' AND c.name = 'recipient_id' ORDER BY m.name`)
    .pluck()
    .all() as string[];
  fillTables(database, tables);
  const of = (recipient: number) =>
    tables.filter((table) =>
      database.prepare(`SELECT 1 FROM ${table} WHERE recipient_id = ?`).get(recipient),
    );
  expect(of(2)).toEqual(tables);
  await see(ledger, 'Sasha', ALEX);
  expect(of(2)).toEqual([]);
});
