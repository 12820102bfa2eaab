import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { acquireLock, isLockHeld, lockFileOf } from '../../src/platform/sqlite/lock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startScript } from '../support/processes.ts';

const HOLDER = join(import.meta.dirname, '../support/lock-holder.ts');

const holderOf = (file: string) => startScript<{ taken: boolean }>(HOLDER, [file], temporaryFolder());

test('acquiring a held lock returns null, and succeeds after it is released', () => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  const first = acquireLock(file);
  expect(acquireLock(file)).toBeNull();
  first?.release();
  const second = acquireLock(file);
  expect(second).not.toBeNull();
  second?.release();
});

test('a lock is held across processes, and the kernel frees it if its holder is killed', async () => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  const holder = await holderOf(file);
  expect(holder.ready.taken).toBe(true);
  expect(acquireLock(file)).toBeNull();
  expect((await holderOf(file)).ready.taken).toBe(false);
  await holder.kill();
  const lock = acquireLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

test('a lock that nothing refers to any more is still held', () => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  expect(acquireLock(file)).not.toBeNull();
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  expect(isLockHeld(file)).toBe(true);
});

test('two ledgers in one folder have two locks', () => {
  const folder = temporaryFolder();
  const locks = ['a.db.lock', 'b.db.lock'].map((name) => acquireLock(join(folder, name)));
  onTestFinished(() => {
    for (const lock of locks) lock?.release();
  });
  expect(locks.every((lock) => lock !== null)).toBe(true);
});

test('a ledger has one lock under all its names', () => {
  const folder = temporaryFolder({ 'real/teller.db': '' });
  symlinkSync(join(folder, 'real/teller.db'), join(folder, 'linked.db'));
  symlinkSync(join(folder, 'real'), join(folder, 'linked-folder'));
  const lock = join(folder, 'real/teller.db.lock');
  for (const name of ['real/teller.db', 'linked.db', 'linked-folder/teller.db']) {
    expect(lockFileOf(join(folder, name))).toBe(lock);
  }
});

test('the lock of a ledger that does not exist yet is beside its path', () => {
  const file = join(temporaryFolder(), 'teller.db');
  expect(lockFileOf(file)).toBe(`${file}.lock`);
});

test('asking whether the lock is held neither acquires nor creates it', () => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  expect(isLockHeld(file)).toBe(false);
  const lock = acquireLock(file);
  expect(isLockHeld(file)).toBe(true);
  lock?.release();
  expect(isLockHeld(file)).toBe(false);
});

test.each([
  ['a folder', (file: string) => mkdirSync(file)],
  ['a text', (file: string) => writeFileSync(file, 'the process id is 4711, or so it was once\n'.repeat(30))],
])('%s in place of the lock is data-unwritable', (_, put) => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  put(file);
  const unwritable = expect.objectContaining({ code: 'data-unwritable' });
  expect(() => acquireLock(file)).toThrow(unwritable);
  expect(() => isLockHeld(file)).toThrow(unwritable);
});
