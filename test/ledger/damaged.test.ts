import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { describe, expect, test, vi } from 'vitest';
import type { Ledger } from '../../src/ledger/ledger.ts';
import { openLedger } from '../../src/ledger/sqlite-ledger.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { configFolder, lookInto } from '../support/config-folder.ts';
import { temporaryFolder } from '../support/folder.ts';
import { DAILY, deciding, freshLedger } from '../support/ledgers.ts';
import { startTeller } from '../support/processes.ts';
import { arrival } from '../support/votes.ts';

/** Overwrites the root page of a table or index, as a failing disk would. */
function damage(file: string, name: string): void {
  const database = new Sqlite(file);
  const page = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(name);
  const size = Number(database.pragma('page_size', { simple: true }));
  database.close();
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xff), 0, size, (Number(page) - 1) * size);
  closeSync(descriptor);
}

/** A ledger with a few grants, closed, and then damaged where `name` begins. */
async function damagedLedger(file: string, name: string): Promise<void> {
  const { ledger } = freshLedger(file);
  await ledger.record([arrival({ player: 'Steve' }), arrival({ player: 'Alex' })], deciding(DAILY));
  ledger.close();
  damage(file, name);
}

const LANE = { server: 'main', practice: false };

const deliveryReads: Readonly<Record<string, (ledger: Ledger) => Promise<unknown>>> = {
  pending: (ledger) => ledger.pending(LANE, Date.now(), 10),
  waiting: (ledger) => ledger.waiting(LANE, ['steve'], Date.now(), 10),
  waitingFor: (ledger) => ledger.waitingFor(LANE, 10, 0),
  nextDueAt: (ledger) => ledger.nextDueAt(LANE),
};

describe('a damaged ledger', () => {
  test.each(Object.entries(deliveryReads))('is ledger-corrupt to %s', async (_, read) => {
    const file = join(temporaryFolder(), 'teller.db');
    await damagedLedger(file, 'grants');
    for (const name of ['grants_pending', 'grants_waiting', 'grants_awaited', 'recipients'])
      damage(file, name);
    await expect(read(lookInto(file))).rejects.toMatchObject({ code: 'ledger-corrupt' });
  });

  test('is said by `run` with its code and without a stack, and `run` goes on', async () => {
    const { folder, config } = configFolder({
      ledger: 'teller.db',
      gameServers: { main: { kind: 'rcon', port: 1, password: 'abcdefgh-secret-1' } },
    });
    await damagedLedger(join(folder, 'teller.db'), 'grants_pending');
    const running = await startTeller(['run', '--config', config], folder);
    await expect.poll(() => running.log(), { timeout: 5_000 }).toContain('"code":"ledger-corrupt"');
    expect(running.log()).not.toMatch(/\n\s+at /);
    expect(await running.stop()).toBe(0);
  });

  test('whose tables are not what its header says is ledger-failed when it is opened', () => {
    const { ledger, file, database } = freshLedger();
    database.exec('DROP TABLE commands');
    ledger.close();
    expect(() => openLedger(file, 'read', systemClock)).toThrow(
      expect.objectContaining({ code: 'ledger-failed' }),
    );
  });
});

test('version answers what it last knew when it cannot be read, since a timer asks', () => {
  const { ledger, database } = freshLedger();
  const known = ledger.version();
  vi.spyOn(database, 'pragma').mockImplementation(() => {
    throw new Sqlite.SqliteError('disk I/O error', 'SQLITE_IOERR');
  });
  expect(ledger.version()).toBe(known);
});
