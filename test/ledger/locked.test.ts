import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { sqliteLedger } from '../../src/ledger/sqlite-ledger.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { deciding, freshLedger, THANKS } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';

/** Another program that writes into the ledger, until `release`. */
function heldLocked(file: string): { release: () => void } {
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  return { release: () => other.exec('COMMIT') };
}

const PLAYERS = Array.from({ length: 40 }, (_, number) => `P${number}`);

test('while another program has the ledger locked, batches wait without blocking, and are recorded in order', async () => {
  const { ledger, file } = freshLedger();
  const { release } = heldLocked(file);
  const before = performance.now();
  const recorded = PLAYERS.map((player) => ledger.record([arrival({ player })], deciding(THANKS)));
  // With SQLite's own busy timeout of 50 ms, each try would block every socket for that time.
  expect(performance.now() - before).toBeLessThan(500);
  let longest = 0;
  for (let turn = 0; turn < 20; turn++) {
    const from = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 10));
    longest = Math.max(longest, performance.now() - from);
  }
  expect(longest).toBeLessThan(250);
  release();
  const ids = (await Promise.all(recorded)).map(([one]) => one?.id);
  expect(ids).toEqual(PLAYERS.map((_, number) => number + 1));
  const players = (await ledger.votes({ limit: 100 })).map(({ player }) => player).reverse();
  expect(players).toEqual(PLAYERS);
});

test('a write that fails does not delay the next', async () => {
  const { ledger, file } = freshLedger();
  const { release } = heldLocked(file);
  const failing = ledger.record([arrival({ player: 'Steve' })], () => {
    throw new Error('a bug in decide');
  });
  const next = ledger.record([arrival({ player: 'Alex' })], deciding(THANKS));
  release();
  await expect(failing).rejects.toThrow('a bug in decide');
  expect(await next).toMatchObject([{ kind: 'new', id: 1 }]);
});

test('a write fails with ledger-locked after waiting 3 s, and later writes are stored', async () => {
  const { database, file } = freshLedger();
  const clock = new FakeClock();
  const ledger = sqliteLedger(database, clock);
  const { release } = heldLocked(file);
  const outcomes: string[] = [];
  const record = (player: string): Promise<unknown> =>
    ledger.record([arrival({ player })], deciding(THANKS)).then(
      () => outcomes.push(`${player} recorded`),
      ({ code }) => outcomes.push(`${player} ${code}`),
    );
  const first = [record('Steve'), record('Alex')];
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 20) {
      clock.advance(20);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await pass(2_000);
  const later = record('Zombie');
  expect(outcomes).toEqual([]);
  await pass(1_100);
  await Promise.all(first);
  expect(outcomes).toEqual(['Steve ledger-locked', 'Alex ledger-locked']);
  release();
  await pass(100);
  await later;
  expect(outcomes.at(-1)).toBe('Zombie recorded');
});

test('a reader waits while another process locks the whole file for a moment', async () => {
  const { ledger, database, file } = freshLedger();
  await ledger.record([arrival()], deciding(THANKS));
  database.pragma('journal_mode = DELETE');
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN EXCLUSIVE');
  const votes = ledger.votes({ limit: 1 });
  setTimeout(() => other.exec('COMMIT'), 200);
  expect(await votes).toHaveLength(1);
});
