import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeLock } from '../../src/sqlite/lock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { startScript } from '../support/processes.ts';

const HOLDER = join(import.meta.dirname, '../support/lock-holder.ts');

const holderOf = (file: string) => startScript<{ taken: boolean }>(HOLDER, [file], temporaryFolder());

test('a second holder gets null while the first one holds the lock, and the lock once it is released', () => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  const first = takeLock(file);
  expect(takeLock(file)).toBeNull();
  first?.release();
  const second = takeLock(file);
  expect(second).not.toBeNull();
  second?.release();
});

test('a second process gets null, and the kernel frees the lock of one that is killed', async () => {
  const file = join(temporaryFolder(), 'teller.db.lock');
  const holder = await holderOf(file);
  expect(holder.ready.taken).toBe(true);
  expect(takeLock(file)).toBeNull();
  expect((await holderOf(file)).ready.taken).toBe(false);
  await holder.kill();
  const lock = takeLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

test('two ledgers beside each other have two locks', () => {
  const folder = temporaryFolder();
  const locks = ['a.db.lock', 'b.db.lock'].map((name) => takeLock(join(folder, name)));
  onTestFinished(() => {
    for (const lock of locks) lock?.release();
  });
  expect(locks.every((lock) => lock !== null)).toBe(true);
});
