import { renameSync, rmSync } from 'node:fs';
import Database from 'better-sqlite3';

/** One numbered step of a schema: never changed once released, only followed by another. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
  /** What its SQL calls, by name. */
  readonly functions?: Readonly<Record<string, (value: number) => number>>;
}

interface Migrations {
  readonly applicationId: number;
  readonly migrations: readonly Migration[];
}

/** Others wait as long as it takes to copy and rebuild a file of some gigabytes. */
const MIGRATION_TIMEOUT_MS = 30 * 60_000;

/**
 * Each step in its own transaction, with a copy of the file before it where there was something to lose. The transaction
 * begins before the copy is made: of several processes that start on an old file, one migrates and the others wait.
 */
export function migrate(db: Database.Database, file: string, schema: Migrations, keepsCopies: boolean): void {
  db.pragma(`busy_timeout = ${MIGRATION_TIMEOUT_MS}`);
  // A table that others refer to is copied, dropped and replaced: with the keys on, SQLite would empty it first and refuse.
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
 * VACUUM INTO and not a copy of the file: what has been committed may still be in the WAL, and a reader keeps it there.
 * It takes a connection of its own, because it cannot run inside a transaction.
 */
function keepCopy(file: string, version: number): void {
  const copy = `${file}.before-${version}`;
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { force: true });
  const reader = new Database(file, { readonly: true });
  try {
    reader.prepare('VACUUM INTO ?').run(unfinished);
  } finally {
    reader.close();
  }
  renameSync(unfinished, copy);
}
