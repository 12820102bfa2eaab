import Database from 'better-sqlite3';
import { type Clock, pause } from '../core/clock.ts';

/** How long to retry while another process has the database locked; shorter than a sender's deadline. */
const LOCKED_PATIENCE_MS = 3_000;
const LOCKED_PAUSE_MS = 20;

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Tries at least once and until `giveUpAt` (monotonic), and lets the event loop run in between. */
export async function patiently<Result>(
  clock: Clock,
  work: () => Result,
  giveUpAt = clock.monotonic() + LOCKED_PATIENCE_MS,
): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || clock.monotonic() >= giveUpAt) throw error;
      await pause(clock, LOCKED_PAUSE_MS);
    }
  }
}

/**
 * If the work or SQLite fails, rejects with that error and changes nothing. `undo` reverts what the work did in
 * memory; it is called as soon as the transaction is rolled back, before anything else can run.
 */
export type Write = <Result>(work: () => Result, undo?: () => void) => Promise<Result>;

/**
 * Runs work in one immediate transaction: a deferred one that reads before it writes fails with
 * SQLITE_BUSY_SNAPSHOT if another process wrote in between. If any statement fails, everything is rolled back:
 * SQLITE_FULL rolls back a transaction silently, and later statements would each commit separately.
 *
 * Writes happen in the order of the calls. While another process has the database locked, only the first write retries:
 * when each of them did, with SQLite's timeout of 50 ms, they blocked the event loop in turn.
 */
export function writer(database: Database.Database, clock: Clock): Write {
  const transaction = database.transaction((work: () => unknown) => work());
  let last: Promise<unknown> | null = null;
  return async <Result>(work: () => Result, undo: () => void = () => {}): Promise<Result> => {
    const giveUpAt = clock.monotonic() + LOCKED_PATIENCE_MS;
    const once = (): Result => {
      try {
        return transaction.immediate(work) as Result;
      } catch (error) {
        undo();
        throw error;
      }
    };
    const attempt = () => patiently(clock, once, giveUpAt);
    const mine: Promise<Result> = last === null ? attempt() : last.then(attempt, attempt);
    last = mine;
    try {
      return await mine;
    } finally {
      if (last === mine) last = null;
    }
  };
}
