import type Database from 'better-sqlite3';
import { Sqlite } from './driver.ts';

export const isBusy = (error: unknown): boolean =>
  error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY');

/**
 * Runs statements, and waits inside SQLite while another process has the database locked. This blocks the thread, so
 * it is for a thread of its own and for commands that do nothing else meanwhile.
 */
export function patiently<Result>(
  database: Database.Database,
  patienceMs: number,
  work: () => Result,
): Result {
  try {
    return work();
  } catch (error) {
    if (!isBusy(error) || patienceMs <= 0) throw error;
  }
  database.pragma(`busy_timeout = ${Math.ceil(patienceMs)}`);
  try {
    return work();
  } finally {
    database.pragma('busy_timeout = 0');
  }
}
