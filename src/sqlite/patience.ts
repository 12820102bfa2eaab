import Database from 'better-sqlite3';
import { type Clock, pause } from '../core/clock.ts';

/** How long work is tried again while another process holds the database, within the deadline of a sender. */
const LOCKED_PATIENCE_MS = 3_000;
const LOCKED_PAUSE_MS = 20;

export const isBusy = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

/** Tries until `giveUpAt` (monotonic), at least once, and lets the event loop turn in between. */
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
 * Rejects with what the work or SQLite threw, and has then changed nothing. `undo` reverts what the work did in memory:
 * it is called at once whenever the transaction was undone, before anything else can run.
 */
export type Write = <Result>(work: () => Result, undo?: () => void) => Promise<Result>;

/**
 * Runs work in one immediate transaction: a deferred one that reads before it writes fails with
 * SQLITE_BUSY_SNAPSHOT when another process wrote in between. Whatever statement fails, the whole of it is undone:
 * SQLITE_FULL ends a transaction silently, and statements run after it would each commit on their own.
 *
 * What is written is written in the order in which it was asked for. While another process holds the database only
 * the first tries: when each of them did, with SQLite's own patience of 50 ms, they blocked the event loop in turn.
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
