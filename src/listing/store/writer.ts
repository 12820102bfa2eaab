import Database from 'better-sqlite3';
import { type Clock, pause } from '../../core/clock.ts';

/** How long a write tries again while another process holds the database. */
const LOCKED_PATIENCE_MS = 3_000;
const LOCKED_PAUSE_MS = 20;

/** Runs work in one transaction. Rejects with what `work` or SQLite threw, and has then changed nothing. */
export type Writer = <Result>(work: () => Result) => Promise<Result>;

/** Immediate, since one that reads before it writes fails when another process wrote in between. */
export function writer(database: Database.Database, clock: Clock): Writer {
  const transaction = database.transaction((work: () => unknown) => work());
  return async <Result>(work: () => Result): Promise<Result> => {
    const giveUpAt = clock.monotonic() + LOCKED_PATIENCE_MS;
    for (;;) {
      try {
        return transaction.immediate(work) as Result;
      } catch (error) {
        if (!isLocked(error) || clock.monotonic() >= giveUpAt) throw error;
        await pause(clock, LOCKED_PAUSE_MS);
      }
    }
  };
}

const isLocked = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');
