import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { damagesOf } from '../../src/ledger/deep-check.ts';
import type { DeepPart, Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite/in-process.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { DAILY, freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { startTeller } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';

/** Overwrites the root page of a table or index, as a failing disk would. */
function damage(file: string, name: string): void {
  const database = new Sqlite(file);
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name);
  if (page === undefined) throw new Error(`the ledger has no ${name}`);
  const size = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (Number(page) - 1) * size);
  closeSync(descriptor);
}

/** A closed ledger with a few grants that is damaged at the start of `name`. */
async function damagedLedger(file: string, name: string): Promise<void> {
  const { ledger } = freshLedger(file);
  await record(ledger, [arrival({ player: 'Steve' }), arrival({ player: 'Alex' })], rulesFor(DAILY));
  await ledger.close();
  damage(file, name);
}

const LANE = { server: 'main', practice: false };

const deliveryReads: Readonly<Record<string, (ledger: Ledger) => Promise<unknown>>> = {
  pending: (ledger) => ledger.pending(LANE, Date.now(), 10),
  waiting: (ledger) => ledger.waiting(LANE, ['steve'], Date.now(), 10),
  waitingFor: (ledger) => ledger.waitingFor(LANE, 10, 0),
  nextDueAt: (ledger) => ledger.nextDueAt(LANE, Date.now()),
};

describe('a damaged ledger', () => {
  test.each(Object.entries(deliveryReads))('fails the read %j with ledger-corrupt', async (_, read) => {
    const file = join(temporaryFolder(), 'teller.db');
    await damagedLedger(file, 'grants');
    for (const name of ['grants_pending', 'grants_awaited', 'recipients']) damage(file, name);
    await expect(read(lookInto(file))).rejects.toMatchObject({ code: 'ledger-corrupt' });
  });

  test('is reported by `run` with its code and without a stack trace, and `run` continues', async () => {
    const { folder, config } = configFolder({
      ledger: 'teller.db',
      gameServers: { main: { kind: 'rcon', port: 1, password: 'abcdefgh-secret-1' } },
    });
    await damagedLedger(join(folder, 'teller.db'), 'grants_pending');
    const running = await startTeller(['run', '--config', config], folder);
    await expect.poll(() => running.log()).toContain('"code":"ledger-corrupt"');
    expect(running.log()).not.toMatch(/\n\s+at /);
    expect(await running.stop()).toBe(0);
  });

  test('fails to open with ledger-failed if its tables do not match its header', async () => {
    const { ledger, file, database } = freshLedger();
    database.exec('DROP TABLE commands');
    await ledger.close();
    await expect(openLedger(file, 'read', { clock: systemClock })).rejects.toThrow(
      expect.objectContaining({ code: 'ledger-failed', message: expect.stringContaining('commands') }),
    );
  });
});

/** Changes the list of tables and indexes of a closed ledger. */
function changeSchema<Result>(file: string, change: (database: Sqlite.Database) => Result): Result {
  const database = new Sqlite(file);
  database.unsafeMode();
  database.pragma('writable_schema = ON');
  try {
    return change(database);
  } finally {
    database.close();
  }
}

/** Records a vote that is missing from an index, as after a lost write. */
async function missingFromIndex(file: string, index: string): Promise<void> {
  await freshLedger(file).ledger.close();
  const row = changeSchema(file, (database) => {
    const taken = 'DELETE FROM sqlite_schema WHERE name = ? RETURNING *';
    return database.prepare(taken).get(index);
  });
  const { ledger } = freshLedger(file);
  await record(ledger, [arrival({ player: 'Steve' })], rulesFor(DAILY));
  await ledger.close();
  changeSchema(file, (database) =>
    database.prepare('INSERT INTO sqlite_schema VALUES (@type, @name, @tbl_name, @rootpage, @sql)').run(row),
  );
}

describe('the deep check', () => {
  test('finds an index that lacks a vote', async () => {
    const file = join(temporaryFolder(), 'teller.db');
    await missingFromIndex(file, 'votes_by_service');
    expect((await damagesOf(lookInto(file))).join()).toMatch(/missing from index votes_by_service/);
  });

  test('finds nothing in an intact ledger, and reports each table before reading it', async () => {
    const { ledger, database } = freshLedger();
    await record(ledger, [arrival({ player: 'Steve' })], rulesFor(DAILY));
    const parts: DeepPart[] = [];
    expect(await damagesOf(ledger, (part) => void parts.push(part))).toEqual([]);
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all();
    expect(parts.map(({ table }) => table)).toEqual(['', ...tables]);
    const shares = parts.map(({ share }) => share);
    expect(shares).toEqual(shares.toSorted((a, b) => a - b));
    expect([shares[0], (shares.at(-1) ?? 1) < 1]).toEqual([0, true]);
  });
});
