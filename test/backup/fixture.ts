import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { createFirstConfig } from '../../src/config/first-start.ts';
import { Problem, type ProblemCode } from '../../src/core/problem.ts';
import type { Ledger } from '../../src/ledger/ledger.ts';
import type { CopyOptions } from '../../src/operator/backup/copy-ledger.ts';
import { type Backup, makeBackup } from '../../src/operator/backup/make-backup.ts';
import { type Restored, restoreBackup } from '../../src/operator/backup/restore-backup.ts';
import { planRestore } from '../../src/operator/backup/restore-plan.ts';
import { fixedRandom } from '../support/fixed-random.ts';
import { temporaryFolder } from '../support/folder.ts';
import { freshLedger } from '../support/ledgers.ts';
import { SettableClock } from '../support/settable-clock.ts';

export const BACKUP_AT = '2026-06-01T12:00:00.000Z';
export const RESTORED_AT = '2026-06-01T18:00:00.000Z';
export const TOKEN = '11'.repeat(16);

export interface BackupFixture {
  readonly folder: string;
  readonly config: string;
  readonly ledger: Ledger;
  /** The folder of the backup. */
  readonly dir: string;
  readonly clock: SettableClock;
  readonly backUp: (options?: CopyOptions) => Promise<Backup>;
  /** Restores into a new folder, or to the given config. */
  readonly restore: (config?: string) => Promise<Restored & { readonly folder: string }>;
}

/** The folder of a first start with an open ledger. `overrides` replace keys of the config. */
export async function backupFixture(overrides: object = {}): Promise<BackupFixture> {
  const folder = temporaryFolder();
  const { file: config } = await createFirstConfig(folder, fixedRandom(0x11));
  const written = JSON.parse(readFileSync(config, 'utf8'));
  const changed = { ...written, ...overrides };
  writeFileSync(config, JSON.stringify(changed));
  const ledgerFile = path.resolve(folder, changed.ledger);
  mkdirSync(path.dirname(ledgerFile), { recursive: true });
  const { ledger } = freshLedger(ledgerFile);
  const clock = new SettableClock(BACKUP_AT);
  const dir = path.join(temporaryFolder(), 'backups', 'monday');
  return {
    folder,
    config,
    ledger,
    dir,
    clock,
    backUp: (options) => makeBackup(config, dir, clock, options),
    restore: async (target = path.join(temporaryFolder(), 'config.json')) => {
      clock.set(RESTORED_AT);
      const restored = await restoreBackup(await planRestore(dir, target), clock);
      return { ...restored, folder: path.dirname(target) };
    },
  };
}

/** The code of the Problem that the work rejects with. */
export async function problemOf(work: Promise<unknown>): Promise<ProblemCode> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
  throw new Error('no problem was thrown');
}

/** All files below a folder, with slashes, sorted. */
export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort();

export const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

/** Queries a database file directly, without creating files next to it. */
export function ask(file: string, sql: string): unknown {
  const database = new Database(file, { readonly: true });
  try {
    return database.prepare(sql).pluck().get();
  } finally {
    database.close();
  }
}

/** Changes one byte in the middle. */
export function damage(file: string): void {
  const bytes = readFileSync(file);
  const middle = Math.floor(bytes.length / 2);
  bytes[middle] = (bytes[middle] ?? 0) ^ 1;
  chmodSync(file, 0o600);
  writeFileSync(file, bytes);
}
