import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import type { Settlement } from '../../src/ledger/ledger.ts';
import { acquireLock, lockFileOf } from '../../src/platform/sqlite/lock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { DAILY, freshLedger, record, rulesFor } from '../support/ledgers.ts';
import { arrival } from '../support/votes.ts';

const recorded = ({ ledger }: ReturnType<typeof freshLedger>) => record(ledger, [arrival()], rulesFor(DAILY));

test('a ledger that becomes read-only refuses votes until it can be written again', async () => {
  const fresh = freshLedger();
  fresh.database.pragma('query_only = ON');
  await expect(recorded(fresh)).rejects.toMatchObject({ code: 'ledger-failed' });
  expect(await fresh.ledger.votes({ limit: 9 })).toEqual([]);
  fresh.database.pragma('query_only = OFF');
  expect(await recorded(fresh)).toMatchObject([{ kind: 'new' }]);
});

test('a ledger refuses votes while its folder cannot be read', async () => {
  const fresh = freshLedger(join(temporaryFolder({ 'data/here': '' }), 'data/teller.db'));
  const folder = dirname(fresh.file);
  renameSync(folder, `${folder}.aside`);
  symlinkSync(folder, folder); // a link to itself: every access to the folder fails
  await expect(recorded(fresh)).rejects.toMatchObject({ code: 'ledger-failed' });
  unlinkSync(folder);
  renameSync(`${folder}.aside`, folder);
  expect(await recorded(fresh)).toMatchObject([{ kind: 'new' }]);
});

test('locking fails with data-unwritable if the folder cannot be read', () => {
  const folder = join(temporaryFolder(), 'data');
  symlinkSync(folder, folder);
  expect(() => acquireLock(lockFileOf(join(folder, 'teller.db')))).toThrow(
    expect.objectContaining({ code: 'data-unwritable' }),
  );
});

test.each([
  ['moved away', (file: string) => renameSync(file, `${file}.away`)],
  ['removed', (file: string) => rmSync(file)],
  [
    'replaced by a copy of itself',
    (file: string) => {
      copyFileSync(file, `${file}.copy`);
      renameSync(`${file}.copy`, file);
    },
  ],
])(
  'a ledger whose file was %s refuses votes, because they would be lost when the process stops',
  async (_, change) => {
    const fresh = freshLedger();
    expect(await recorded(fresh)).toMatchObject([{ kind: 'new' }]);
    change(fresh.file);
    await expect(record(fresh.ledger, [arrival({ player: 'Alex' })], rulesFor(DAILY))).rejects.toMatchObject({
      code: 'ledger-replaced',
    });
    await expect(fresh.ledger.settle(SETTLED)).rejects.toMatchObject({ code: 'ledger-replaced' });
  },
);

test('a ledger that was moved away accepts votes again once it is back', async () => {
  const fresh = freshLedger();
  renameSync(fresh.file, `${fresh.file}.away`);
  await expect(recorded(fresh)).rejects.toMatchObject({ code: 'ledger-replaced' });
  renameSync(`${fresh.file}.away`, fresh.file);
  expect(existsSync(fresh.file)).toBe(true);
  expect(await recorded(fresh)).toMatchObject([{ kind: 'new' }]);
});

const SETTLED: Settlement = {
  ...{ grantId: 1, position: 0, outcome: { kind: 'delivered', reply: '' }, state: 'delivered', reason: null },
  ...{ dueAt: 0, endedAt: 0 },
};

test('a ledger refuses votes after its file was overwritten in place with an older copy', async () => {
  const fresh = freshLedger();
  copyFileSync(fresh.file, `${fresh.file}.old`);
  for (let player = 0; player < 300; player++) {
    await record(fresh.ledger, [arrival({ player: `P${player}` })], rulesFor(DAILY));
  }
  fresh.database.pragma('wal_checkpoint(TRUNCATE)');
  await recorded(fresh);
  writeFileSync(fresh.file, readFileSync(`${fresh.file}.old`));
  await expect(record(fresh.ledger, [arrival({ player: 'Alex' })], rulesFor(DAILY))).rejects.toMatchObject({
    code: 'ledger-replaced',
  });
});
