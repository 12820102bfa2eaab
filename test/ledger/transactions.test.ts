/** Calls that are made together share a transaction, and what one of them does wrong is not the others' fault. */
import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { numbers } from '../kit/database.ts';

/** `stored`, or the code or message of the error, for each call. */
const together = async (...calls: readonly Promise<unknown>[]): Promise<readonly string[]> =>
  (await Promise.allSettled(calls)).map((each) =>
    each.status === 'fulfilled' ? 'stored' : (each.reason.code ?? each.reason.message),
  );

test.each(['here', 'apart'] as const)(
  'of calls made together (%s), only the faulty one is refused',
  async (where) => {
    const database = await numbers(undefined, where);
    await database.add(1, 2);
    const ends = await together(database.add(3), database.add(4, 1), database.settle(5), database.add(6));
    expect(ends).toEqual(['stored', 'ledger-failed', 'stored', 'stored']);
    expect(await database.all()).toEqual([1, 2, 3, 5, 6]);
  },
);

test('if a transaction is lost, all of its calls are refused, and settlements are tried once more by themselves', async () => {
  const database = await numbers();
  expect(await together(database.add(1), database.settle(2), database.lose(), database.add(3))).toEqual([
    ...['ledger-failed', 'stored', 'ledger-failed', 'ledger-failed'],
  ]);
  expect(await database.all()).toEqual([2]);
});

test('a call waits for another process that has locked the file, but no longer than its patience', async () => {
  const database = await numbers();
  const other = new Sqlite(database.file);
  other.exec('BEGIN IMMEDIATE');
  expect(await together(database.add(1), database.all())).toEqual(['ledger-locked', 'ledger-locked']);
  expect(await together(database.all())).toEqual(['stored']);
  other.exec('COMMIT');
  other.close();
  expect(await together(database.add(1))).toEqual(['stored']);
});

test('what was read once is read again when another process has written, and after a fault', async () => {
  const one = await numbers();
  const other = await numbers(one.file);
  expect([await one.counted(), await one.add(1), await one.counted()]).toEqual([0, undefined, 0]);
  await other.add(2);
  expect(await one.counted()).toBe(2);
  await one.add(3);
  expect(await together(one.add(3))).toEqual(['ledger-failed']);
  expect(await one.counted()).toBe(3);
});

test('a call that goes on after its end writes nothing more', async () => {
  const database = await numbers();
  let goOn = (): void => {};
  const late = new Promise<void>((resolve) => (goOn = resolve));
  const told = new Promise<Error>((resolve) => database.forget(late, resolve).then(goOn));
  expect((await told).message).toContain('not awaited');
  expect(await database.all()).toEqual([]);
});
