import Database from 'better-sqlite3';

/** What the database itself refused, such as a full disk; anything else that is thrown is a bug. */
export const isDatabaseFault = (error: unknown): error is Error => error instanceof Database.SqliteError;
