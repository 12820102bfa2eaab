import { renameSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { Sqlite } from './driver.ts';

/** One numbered step of a schema. A released step never changes; changes need a new step. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** The functions that the SQL calls, by name. */
  readonly functions?: Readonly<Record<string, (value: number) => number | string>>;
}

interface Migrations {
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
}

/** How long other processes wait: enough to copy and rebuild a file of several gigabytes. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000;

/**
 * Runs each step in its own transaction and, if there is data to lose, keeps a copy of the file from before it. The
 * transaction begins before the copy: if several processes start with an old file, one migrates and the others wait.
 */
export function migrate(db: Database.Database, file: string, schema: Migrations, keepsCopies: boolean): void {
  db.pragma(`busy_timeout = ${MIGRATION_TIMEOUT_MS}`);
  // Referenced tables are copied, dropped and replaced. With foreign keys on, SQLite would delete their rows first and fail.
  db.pragma('foreign_keys = OFF');
  for (const { version, sql, functions = {} } of schema.migrations) {
    for (const [name, run] of Object.entries(functions)) db.function(name, run);
    db.transaction(() => {
      if (Number(db.pragma('user_version', { simple: true })) >= version) return;
      if (keepsCopies) keepCopy(file, version);
      db.exec(sql);
      db.pragma(`application_id = ${schema.applicationId}`);
      db.pragma(`user_version = ${version}`);
    }).immediate();
  }
  db.pragma('foreign_keys = ON');
}

/**
 * Uses VACUUM INTO instead of copying the file, because committed data may still be in the WAL, where a reader can keep it.
 * Needs its own connection, because VACUUM cannot run inside a transaction.
 */
function keepCopy(file: string, version: number): void {
  const copy = `${file}.before-${version}`;
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { force: true });
  const reader = new Sqlite(file, { readonly: true });
  try {
    reader.prepare('VACUUM INTO ?').run(unfinished);
  } finally {
    reader.close();
  }
  renameSync(unfinished, copy);
}
