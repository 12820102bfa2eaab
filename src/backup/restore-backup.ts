import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '../core/clock.ts';
import { isoTime } from '../core/instant.ts';
import { Problem } from '../core/problem.ts';
import { noteRestore, type RestoreDoubts } from '../ledger/restoring.ts';
import { ledgerSchema } from '../ledger/schema.ts';
import { isThere } from '../runtime/write-file.ts';
import { type HeldLock, isLockHeld, lockFileOf, takeLock } from '../sqlite/lock.ts';
import { openDatabase } from '../sqlite/open.ts';
import { isBusy } from '../sqlite/patience.ts';
import { asUnwritable, copyFile, sync } from './copy-file.ts';
import type { Placement, RestorePlan } from './restore-plan.ts';
import { type Swap, swapIn } from './swap.ts';

/** What is kept beside a ledger and belongs to that one alone: SQLite's files, and the mark of what was claimed. */
const COMPANIONS = ['-wal', '-shm', '-journal', '.mark'];

export interface Restored {
  readonly restoredAt: number;
  readonly doubts: RestoreDoubts;
  /** What was moved aside, by its new names. */
  readonly kept: readonly string[];
}

/**
 * Puts a backup in its place. All is written and told that it is restored before anything is moved, and nobody delivers
 * from the ledger meanwhile: it is never in its place as if nothing had been paid since the backup.
 * @throws Problem `restore-clock`, `restore-running`, `restore-in-the-way`, `data-unwritable`
 */
export async function restoreBackup(plan: RestorePlan, clock: Clock): Promise<Restored> {
  const { placements, ledger, manifest } = plan;
  const backupAt = Date.parse(manifest.backupAt);
  requireLater(backupAt, clock.now());
  const swaps = placements.filter(({ finds }) => finds !== 'same').map(swapOf);
  try {
    await mkdir(path.dirname(ledger), { recursive: true });
    const lock = lockLedger(ledger);
    try {
      requireClosed(ledger);
      for (const { from, to, mode, finds } of placements) {
        if (finds !== 'same') await writeDraft(from, draftOf(to), mode);
      }
      const restoredAt = clock.now();
      const doubts = await tellLedger(draftOf(ledger), backupAt, restoredAt);
      const mark = `before-restore-${isoTime(restoredAt).replaceAll(/[:.]/g, '-')}`;
      // The config is the first of them, and taken last: where it is, all that it names is there too.
      const kept = await swapIn(swaps, mark);
      return { restoredAt, doubts, kept };
    } finally {
      for (const { draft } of swaps) await removeDraft(draft);
      lock.release();
    }
  } catch (error) {
    throw asUnwritable(error, path.dirname(ledger));
  }
}

/** What was cast between the two is held; with a clock that is behind, that would be nothing. */
function requireLater(backupAt: number, now: number): void {
  if (now >= backupAt) return;
  throw new Problem(
    'restore-clock',
    `The backup was made at ${isoTime(backupAt)}, and this machine’s clock shows ${isoTime(now)}; set it, then restore.`,
  );
}

const draftOf = (file: string): string => `${file}.${process.pid}.draft`;

const swapOf = ({ kind, to }: Placement): Swap => ({
  draft: draftOf(to),
  to,
  companions: kind === 'ledger' ? COMPANIONS : [],
});

/** @throws Problem `restore-running` */
export function requireNobodyDelivers(ledger: string): void {
  if (isLockHeld(lockFileOf(ledger))) throw running(ledger);
}

function lockLedger(ledger: string): HeldLock {
  const lock = takeLock(lockFileOf(ledger));
  if (lock === null) throw running(ledger);
  return lock;
}

/**
 * A Teller that only records, and a command, hold no lock; what they wrote into a file that was moved aside would be
 * lost. Only who is alone with a database can take it out of WAL mode. A damaged one cannot be asked, and is replaced.
 */
function requireClosed(ledger: string): void {
  try {
    const database = new Database(ledger, { fileMustExist: true, timeout: 0 });
    try {
      database.pragma('journal_mode = DELETE');
    } finally {
      database.close();
    }
  } catch (error) {
    if (isBusy(error)) throw running(ledger);
    if (!(error instanceof Database.SqliteError)) throw error;
  }
}

const running = (ledger: string): Problem =>
  new Problem('restore-running', `A Teller serves ${ledger}; end it, then restore.`);

async function writeDraft(from: string, draft: string, mode: number): Promise<void> {
  await rm(draft, { force: true });
  await copyFile(from, draft, mode);
}

/** A backup of an older Teller is migrated on the way; the copies that are kept for that are in the backup anyway. */
async function tellLedger(draft: string, backupAt: number, restoredAt: number): Promise<RestoreDoubts> {
  const database = openDatabase(draft, ledgerSchema, 'create');
  try {
    return noteRestore(database, backupAt, restoredAt);
  } finally {
    database.close();
    await sync(draft);
  }
}

async function removeDraft(draft: string): Promise<void> {
  const migrated = ledgerSchema.migrations.map(({ version }) => `.before-${version}`);
  for (const suffix of ['', ...COMPANIONS, ...migrated]) {
    if (await isThere(draft + suffix)) await rm(draft + suffix, { force: true }).catch(() => undefined);
  }
}
