import Database from 'better-sqlite3';

/** Whether an error comes from SQLite, such as a full disk; any other error is a bug. */
export const isDatabaseFault = (error: unknown): error is Error => error instanceof Database.SqliteError;
