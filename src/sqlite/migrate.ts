import { renameSync, rmSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { makeFileSync } from '../runtime/write-file.ts';
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
 * A new file gets all steps in one transaction, because each transaction waits for the disk.
 */
export function migrate(db: Database.Database, file: string, schema: Migrations, isNew: boolean): void {
  db.pragma(`busy_timeout = ${MIGRATION_TIMEOUT_MS}`);
  // Referenced tables are copied, dropped and replaced. With foreign keys on, SQLite would delete their rows first and fail.
  db.pragma('foreign_keys = OFF');
  const step = (migration: Migration): void => {
    if (Number(db.pragma('user_version', { simple: true })) >= migration.version) return;
    if (!isNew) keepCopy(file, migration.version);
    run(db, migration, schema.applicationId);
  };
  const steps = db.transaction((migrations: readonly Migration[]) => migrations.forEach(step));
  const transactions = isNew ? [schema.migrations] : schema.migrations.map((migration) => [migration]);
  for (const migrations of transactions) steps.immediate(migrations);
  db.pragma('foreign_keys = ON');
}

function run(
  db: Database.Database,
  { version, sql, functions = {} }: Migration,
  applicationId: number,
): void {
  for (const [name, called] of Object.entries(functions)) db.function(name, called);
  db.exec(sql);
  db.pragma(`application_id = ${applicationId}`);
  db.pragma(`user_version = ${version}`);
}

/**
 * Uses VACUUM INTO instead of copying the file, because committed data may still be in the WAL, where a reader can keep it.
 * Needs its own connection, because VACUUM cannot run inside a transaction.
 */
function keepCopy(file: string, version: number): void {
  const copy = `${file}.before-${version}`;
  const unfinished = `${copy}.unfinished`;
  rmSync(unfinished, { force: true });
  makeFileSync(unfinished);
  const reader = new Sqlite(file, { readonly: true });
  try {
    reader.prepare('VACUUM INTO ?').run(unfinished);
  } finally {
    reader.close();
  }
  renameSync(unfinished, copy);
}
