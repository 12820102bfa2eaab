import { statSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { ledgerAt } from '../support/dying.ts';
import { freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { freshThreadedLedger } from '../support/threaded-ledger.ts';
import { arrival } from '../support/votes.ts';

test.each([
  ['on the thread of its caller', async () => freshLedger()],
  ['on threads of its own', () => freshThreadedLedger()],
])('a ledger %s has another revision once another process has written', async (_, open) => {
  const { ledger, file } = await open();
  const other = ledgerAt(file).ledger;
  onTestFinished(() => other.close());
  const before = await ledger.revision();
  await other.votes({ limit: 9 });
  expect(await ledger.revision()).toBe(before);
  await record(other, [arrival()], rulesFor());
  const after = await ledger.revision();
  expect(after).not.toBe(before);
  expect(await ledger.revision()).toBe(after);
});

test('the size of a ledger includes what is not in the file yet', async () => {
  const { ledger, file, database } = freshLedger();
  const votes = Array.from({ length: 500 }, (_, n) => arrival({ player: `P${n}` }));
  await record(ledger, votes, rulesFor());
  const { bytes } = await ledger.size();
  expect(statSync(file).size).toBeLessThan(bytes);
  database.pragma('wal_checkpoint(TRUNCATE)');
  expect(statSync(file).size).toBe(bytes);
});
