import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { record, rulesFor, THANKS } from '../support/ledgers.ts';
import { freshThreadedLedger } from '../support/threaded-ledger.ts';
import { arrival } from '../support/votes.ts';

/** Another program that writes into the ledger, until `release`. */
function heldLocked(file: string): { release: () => void } {
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('BEGIN IMMEDIATE');
  return { release: () => other.exec('COMMIT') };
}

const PLAYERS = Array.from({ length: 40 }, (_, number) => `P${number}`);
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
};

test('while another program has the ledger locked, votes wait, and are then recorded in order', async () => {
  const { ledger, file } = await freshThreadedLedger({ patienceMs: 60_000 });
  const { release } = heldLocked(file);
  const recorded = PLAYERS.map(async (player) => {
    const [one] = await record(ledger, [arrival({ player })], rulesFor(THANKS));
    return one?.id;
  });
  await turns(1_000);
  release();
  expect(await Promise.all(recorded)).toEqual(PLAYERS.map((_, number) => number + 1));
  const players = (await ledger.votes({ limit: 100 })).map(({ player }) => player).reverse();
  expect(players).toEqual(PLAYERS);
});

test('a vote fails with ledger-locked when its patience ends, and the votes after it are stored', async () => {
  const { ledger, file } = await freshThreadedLedger({ patienceMs: 300 });
  const { release } = heldLocked(file);
  const first = record(ledger, [arrival({ player: 'Steve' })], rulesFor(THANKS));
  const second = record(ledger, [arrival({ player: 'Alex' })], rulesFor(THANKS));
  await expect(first).rejects.toMatchObject({ code: 'ledger-locked' });
  await expect(second).rejects.toMatchObject({ code: 'ledger-locked' });
  release();
  const third = await record(ledger, [arrival({ player: 'Zombie' })], rulesFor(THANKS));
  expect(third).toMatchObject([{ kind: 'new', id: 1 }]);
});
