/** A database of numbers, with calls that go wrong in the ways in which disks and programs do. */
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import type { Work } from '../../src/db/batch.ts';
import { insertRows, type Tx } from '../../src/db/db.ts';
import { openSqlite, usingProblem } from '../../src/db/sqlite.ts';
import { inProcess, onThreads, serveThread } from '../../src/db/worker.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

const SCHEMA = { applicationId: 7, version: 1, sql: 'CREATE TABLE numbers (number INTEGER UNIQUE) STRICT' };

/** Adds numbers in one statement. A number that is there already is a fault. */
const add = (tx: Tx, ...numbers: number[]) =>
  insertRows(
    tx,
    'numbers',
    numbers.map((number) => [number]),
  );
const all = async (tx: Tx) =>
  (await tx.all<{ number: number }>('SELECT number FROM numbers ORDER BY number')).map(
    ({ number }) => number,
  );
const calls = {
  add,
  all,
  settle: add,
  /** As SQLite does after some errors of the disk. */
  lose: (tx: Tx) => tx.run('ROLLBACK').then(() => tx.get('SELECT * FROM nothing')),
  /** What was counted first, also in later calls. */
  counted: (tx: Tx) => tx.memo('count', async () => (await all(tx)).length),
  /** Goes on after its end. */
  forget: async (tx: Tx, late: Promise<void>, told: (error: Error) => void) =>
    void late.then(() => add(tx, 99)).catch(told),
};

/** @param file the same for two processes. @param where a thread's messages cross a channel here, as between threads. */
export async function numbers(
  file = join(temporaryFolder(), 'numbers.db'),
  where: 'here' | 'apart' = 'here',
) {
  const open = (mode: 'create' | 'read'): Work => {
    const opened = openSqlite(file, SCHEMA, mode);
    return {
      ...{ file: opened, writes: { add, lose: calls.lose, forget: calls.forget }, settles: { settle: add } },
      ...{ looks: { counted: calls.counted }, reads: { all }, outside: {} },
      beforeWriting: () => {},
      asProblem: (error) => usingProblem(error, 'numbers'),
      close: () => opened.close(),
    };
  };
  const parts = { clock: systemClock, patienceMs: 20, onNews: () => {} };
  const start = () => {
    const { port1, port2 } = new MessageChannel();
    serveThread(
      (mode: 'create' | 'read') => ({ work: open(mode), facts: mode }),
      systemClock.monotonic,
      port2,
    );
    return Object.assign(port1, { threadId: 1, terminate: async () => port1.close() });
  };
  const ended = { start, onEnded: () => {}, writer: 'create', reader: 'read' };
  const made =
    where === 'here'
      ? inProcess<typeof calls>(open('create'), parts)
      : (await onThreads<typeof calls>({ ...parts, ...ended })).calls;
  onTestFinished(() => made.close());
  return { ...made, file };
}
