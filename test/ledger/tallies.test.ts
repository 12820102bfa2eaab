import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OTHER_SERVICES } from '../../src/core/service-name.ts';
import type { Ledger, TallyRow } from '../../src/ledger/ledger.ts';
import { ledgerSchema } from '../../src/ledger/schema.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { temporaryFolder } from '../support/folder.ts';
import { deciding, freshLedger } from '../support/ledgers.ts';
import { arrival, at, DAY, type VoteFacts } from '../support/votes.ts';

const NOON = at('2026-06-01T12:00:00Z');

const unlisted = (service: string, receivedAt: number, facts: VoteFacts = {}) =>
  arrival({
    service,
    site: 'default',
    channel: 'listener-v1',
    claim: null,
    receivedAt,
    castAt: receivedAt,
    ...facts,
  });

const invented = (count: number, receivedAt: number, from = 0) =>
  Array.from({ length: count }, (_, n) => unlisted(`Invented-${from + n}`, receivedAt + n));

const rowsOf = (ledger: Ledger): Promise<readonly TallyRow[]> => ledger.tallies(at('2026-06-02'));
const votesIn = (rows: readonly TallyRow[]): number =>
  rows.flatMap(({ decisions }) => Object.values(decisions)).reduce((sum, votes) => sum + votes, 0);

test('unlisted names beyond the newest thousand are counted together, and no vote is lost', async () => {
  const { ledger } = freshLedger();
  await ledger.record([unlisted('Genuine', NOON), ...invented(1_500, NOON)], deciding());
  const rows = await rowsOf(ledger);
  expect(rows).toHaveLength(1_001);
  expect(rows.find(({ service }) => service === OTHER_SERVICES)?.decisions).toEqual({ cooldown: 501 });
  expect(votesIn(rows)).toBe(1_501);
});

test('a service that votes every day keeps its figures, however many names are invented', async () => {
  const { ledger } = freshLedger();
  for (let day = 0; day < 3; day++) {
    const noon = NOON + day * DAY;
    await ledger.record([unlisted('Genuine', noon), ...invented(1_200, noon + 1, day * 1_200)], deciding());
  }
  const rows = await rowsOf(ledger);
  expect(rows.find(({ service }) => service === 'Genuine')?.decisions).toEqual({ rewarded: 3 });
  expect(rows).toHaveLength(1_001);
  expect(votesIn(rows)).toBe(3 * 1_201);
});

test('a new service that a token proves has figures of its own at once', async () => {
  const { ledger } = freshLedger();
  const proven = unlisted('Proven', NOON + 5_000, { channel: 'listener-v2' });
  await ledger.record([...invented(1_100, NOON), proven], deciding());
  expect((await rowsOf(ledger)).map(({ service }) => service)).toContain('Proven');
});

test('a listed service is not bounded', async () => {
  const { ledger } = freshLedger();
  const listed = unlisted('My-List.com', NOON + 5_000, { site: 'My-List.com' });
  await ledger.record([...invented(1_100, NOON), listed], deciding());
  expect(await rowsOf(ledger)).toContainEqual(expect.objectContaining({ service: 'My-List.com', today: 0 }));
});

test('the days of an unlisted service take one row for each decision, whatever its age', async () => {
  const { ledger, database } = freshLedger();
  for (let day = 0; day < 30; day++) await ledger.record([unlisted('Old', NOON + day * DAY)], deciding());
  expect(database.prepare('SELECT day > 0, votes FROM tallies ORDER BY day').raw().all()).toEqual([
    [0, 29],
    [1, 1],
  ]);
});

test('an older ledger with 3,000 unlisted names is bounded when it is migrated, and keeps the newest', async () => {
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
