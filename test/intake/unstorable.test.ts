import { copyFileSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { ledgerFileOf, lockLedger, moveLedgerAway } from '../kit/ledger-file.ts';
import { sendBlock, v1Block } from '../kit/vote.ts';
import { FakeClock } from '../support/fake-clock.ts';

/** What a v2 sender hears: it sends again later. */
const UNABLE = 'StorageUnavailable';
const START = Date.parse('2026-06-01T12:00:00Z');
const storing = (): Promise<Here> => here({}, new FakeClock(START));

const playersIn = async ({ run }: Here): Promise<string[]> =>
  (await run('votes', '--limit', '10000', '--json')).json
    .map(({ player }: { player: string }) => player)
    .toReversed();
const codesOf = ({ log }: Here, level: string) =>
  log.filter((line) => line.level === level).map(({ code }) => code);
const lostIn = ({ log }: Here) =>
  log
    .filter(({ code }) => code === 'vote-lost')
    .map(({ fields }) => (fields as { recipient: string }).recipient);

function replaceByCopy(file: string): void {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
}

test.each([
  ['removed', (file: string) => unlinkSync(file)],
  ['replaced by a copy of itself', replaceByCopy],
])('a ledger whose file was %s stores no vote, which a stop would lose', async (_, change) => {
  const teller = await storing();
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
  await teller.untilGrants('delivered');
  change(ledgerFileOf(teller));
  expect(await teller.vote({ player: 'Alex' })).toBe(UNABLE);
  expect(codesOf(teller, 'error')).toContain('ledger-replaced');
});

test('a ledger whose folder cannot be read stores no vote until it can be read again', async () => {
  const teller = await storing();
  const folder = dirname(ledgerFileOf(teller));
  renameSync(folder, `${folder}.aside`);
  symlinkSync(folder, folder); // a link to itself: every access to the folder fails
  expect(await teller.vote({ player: 'Steve' })).toBe(UNABLE);
  expect(codesOf(teller, 'error')).toContain('ledger-failed');
  unlinkSync(folder);
  renameSync(`${folder}.aside`, folder);
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
});

test('a ledger that was overwritten in place with an older copy stores no vote', async () => {
  const teller = await storing();
  const file = ledgerFileOf(teller);
  copyFileSync(file, `${file}.old`);
  for (let n = 0; n < 150; n++) await teller.vote({ player: `P${n}` });
  const other = new Sqlite(file);
  other.pragma('wal_checkpoint(TRUNCATE)');
  other.close();
  expect(await teller.vote({ player: 'Steve' })).toBe('ok');
  writeFileSync(file, readFileSync(`${file}.old`));
  expect(await teller.vote({ player: 'Alex' })).toBe(UNABLE);
  expect(codesOf(teller, 'error')).toContain('ledger-replaced');
});

test('a vote waits while another process has locked the ledger, and Teller goes on; after 3 s it is refused', async () => {
  const teller = await storing();
  const unlock = lockLedger(teller);
  const waiting = teller.vote({ player: 'Steve' });
  const { exit } = await teller.run('votes', '--json');
  expect(exit).toBe(0);
  unlock();
  expect(await waiting).toBe('ok');
  const unlockAgain = lockLedger(teller);
  const began = performance.now();
  expect(await teller.vote({ player: 'Alex' })).toBe(UNABLE);
  expect(performance.now() - began).toBeGreaterThanOrEqual(2_900);
  expect(codesOf(teller, 'error')).toContain('ledger-locked');
  unlockAgain();
  expect(await teller.vote({ player: 'Alex' })).toBe('ok');
});

test('a v1 vote that cannot be stored is kept once and tried every second, in order, and is recorded once, without a refusal', async () => {
  const teller = await storing();
  const moveBack = moveLedgerAway(teller);
  for (const player of ['Ada', 'Bob', 'Cyd']) expect(await teller.vote({ player, via: 'v1' })).toBe('');
  const block = v1Block(`VOTE\nList\nAgain\n192.0.2.1\n${START}\n`, teller.folder);
  for (let n = 0; n < 20; n++) await sendBlock(teller.port, block);
  await teller.pass(3_000, 500);
  moveBack();
  expect(await playersIn(teller)).toEqual([]);
  await teller.pass(999, 333);
  await teller.until(async () => (await playersIn(teller)).length === 4);
  await teller.pass(10_000, 1_000);
  expect(await playersIn(teller)).toEqual(['Ada', 'Bob', 'Cyd', 'Again']);
  expect((await teller.run('explain', 'Again', '--json')).json).toMatchObject([{ repeats: 0 }]);
  expect(lostIn(teller)).toEqual([]);
  const { json } = await teller.run('sites', '--json');
  expect(json.flatMap(({ refusals }: { refusals: readonly object[] }) => refusals)).toEqual([]);
});

test('a v1 vote that still cannot be stored when Teller stops is logged as lost by name, and counted as refused', async () => {
  const teller = await storing();
  const moveBack = moveLedgerAway(teller);
  for (const player of ['Ada', 'Bob']) await teller.vote({ player, via: 'v1' });
  expect(lostIn(teller)).toEqual([]);
  await teller.stop();
  moveBack();
  expect(lostIn(teller)).toEqual(['ada', 'bob']);
  const lost = teller.log.filter(({ code }) => code === 'vote-lost');
  expect(lost[0]).toMatchObject({ level: 'error', fields: { service: 'List', receivedAt: START } });
});

test('a v1 vote that could not be stored is recorded when Teller stops, if it can be stored then', async () => {
  const teller = await storing();
  const moveBack = moveLedgerAway(teller);
  await teller.vote({ player: 'Ada', via: 'v1' });
  moveBack();
  await teller.stop();
  expect(await playersIn(teller)).toEqual(['Ada']);
  expect(lostIn(teller)).toEqual([]);
});

test('a vote that is stored is answered ok, and stored once, also where the log of it fails', async () => {
  const teller = await here({ rewards: [] }, new FakeClock(START));
  // What logs from here on fails, as where nobody reads the other end of a pipe.
  Object.freeze(teller.log);
  expect(await teller.vote({ player: 'Ada' })).toBe('ok');
  await teller.vote({ player: 'Bob', via: 'v1' });
  await teller.until(async () => (await playersIn(teller)).length === 2);
  await teller.pass(5_000, 500);
  expect(await playersIn(teller)).toEqual(['Ada', 'Bob']);
  expect((await teller.run('explain', 'Bob', '--json')).json).toMatchObject([{ repeats: 0 }]);
});
