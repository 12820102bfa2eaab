import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '../../core/clock.ts';
import { isoTime } from '../../core/instant.ts';
import { Problem } from '../../core/problem.ts';
import { acquireLock, type HeldLock, isLockHeld, lockFileOf } from '../../db/lock.ts';
import { isBusy } from '../../db/sqlite.ts';
import { openLedger, type RestoreDoubts } from '../../ledger/ledger.ts';
import { isThere, makeFolder } from '../../platform/write-file.ts';
import { asUnwritable, copyFile, sync } from './copy-file.ts';
import type { Placement, RestorePlan } from './restore-plan.ts';

/** Files next to a ledger that belong only to it: SQLite's files, and the mark of the last claimed command. */
const COMPANIONS = ['-wal', '-shm', '-journal', '.mark'];

export interface Restored {
  readonly restoredAt: number;
  readonly doubts: RestoreDoubts;
  /** The new names of the files that were moved aside. */
  readonly kept: readonly string[];
}

/**
 * Restores a backup. Every file is written, and the ledger marked as restored, before anything is moved; the lock keeps
 * other processes from delivering until then. So a restored ledger never looks as if nothing was paid since the backup.
 * @throws Problem `restore-clock`, `restore-running`, `restore-in-the-way`, `data-unwritable`
 */
export async function restoreBackup(plan: RestorePlan, clock: Clock): Promise<Restored> {
  const { placements, ledger, manifest } = plan;
  const backupAt = Date.parse(manifest.backupAt);
  requireLater(backupAt, clock.now());
  const swaps = placements.filter(({ finds }) => finds !== 'same').map(swapOf);
  try {
    await makeFolder(path.dirname(ledger));
    const lock = lockLedger(ledger);
    try {
      requireClosed(ledger);
      for (const { from, to, mode, finds } of placements) {
        if (finds !== 'same') await writeDraft(from, draftOf(to), mode);
      }
      const restoredAt = clock.now();
      const doubts = await markRestored(draftOf(ledger), backupAt, restoredAt, clock);
      const mark = `before-restore-${isoTime(restoredAt).replaceAll(/[:.]/g, '-')}`;
      // The config comes first, so it is put in place last: once it exists, everything it names exists too.
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

/** Votes cast between backup and restore are held. With a clock that is behind, no vote would be. */
function requireLater(backupAt: number, now: number): void {
  if (now >= backupAt) return;
  throw new Problem(
    'restore-clock',
    `The backup was made at ${isoTime(backupAt)}, but this machine’s clock shows ${isoTime(now)}; set the clock, then restore.`,
  );
}

const draftOf = (file: string): string => `${file}.${process.pid}.draft`;

const swapOf = ({ kind, to }: Placement): Swap => ({
  draft: draftOf(to),
  to,
  companions: kind === 'ledger' ? COMPANIONS : [],
});

/** @throws Problem `restore-running` */
export function requireNoDelivery(ledger: string): void {
  if (isLockHeld(lockFileOf(ledger))) throw running(ledger);
}

function lockLedger(ledger: string): HeldLock {
  const lock = acquireLock(lockFileOf(ledger));
  if (lock === null) throw running(ledger);
  return lock;
}

/**
 * Commands, and a Teller that only records, hold no lock, but what they write into a file that is moved aside would be
 * lost. Ending WAL mode fails if another process has the database open. A damaged database is replaced without a check.
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
  new Problem('restore-running', `A Teller is using ${ledger}; stop it, then restore.`);

async function writeDraft(from: string, draft: string, mode: number): Promise<void> {
  await rm(draft, { force: true });
  await copyFile(from, draft, mode);
}

async function markRestored(
  draft: string,
  backupAt: number,
  restoredAt: number,
  clock: Clock,
): Promise<RestoreDoubts> {
  const ledger = await openLedger(draft, 'create', { clock });
  try {
    return await ledger.noteRestore(backupAt, restoredAt);
  } finally {
    await ledger.close();
    await sync(draft);
  }
}

async function removeDraft(draft: string): Promise<void> {
  for (const suffix of ['', ...COMPANIONS]) {
    if (await isThere(draft + suffix)) await rm(draft + suffix, { force: true }).catch(() => undefined);
  }
}

/** A finished draft and the file it will replace. */
interface Swap {
  readonly draft: string;
  readonly to: string;
  /** Files such as the write-ahead log of a ledger, which SQLite would apply to the new file. */
  readonly companions: readonly string[];
}

/**
 * Moves the present files aside and the drafts into place. The first file is put in place last, so the swap is complete
 * once that file exists. An error reverts everything. Returns the new names of the files that were moved aside.
 * @param mark the suffix of these names.
 */
async function swapIn(swaps: readonly Swap[], mark: string): Promise<readonly string[]> {
  const moved: { from: string; to: string }[] = [];
  const kept: string[] = [];
  const move = async (from: string, to: string): Promise<void> => {
    await rename(from, to);
    moved.unshift({ from, to });
  };
  const clear = async ({ to, companions }: Swap): Promise<void> => {
    for (const suffix of ['', ...companions]) {
      if (!(await isThere(to + suffix))) continue;
      const aside = `${to}.${mark}${suffix}`;
      if (await isThere(aside)) {
        throw new Problem('restore-in-the-way', `${aside} already exists; move it away.`);
      }
      await move(to + suffix, aside);
      kept.push(aside);
    }
  };
  const [first, ...others] = swaps;
  if (first === undefined) return [];
  try {
    await clear(first);
    for (const swap of others) {
      await clear(swap);
      await move(swap.draft, swap.to);
    }
    await move(first.draft, first.to);
  } catch (error) {
    for (const { from, to } of moved) await rename(to, from).catch(() => undefined);
    throw error;
  }
  for (const folder of new Set(swaps.map(({ to }) => path.dirname(to)))) await sync(folder);
  return kept;
}
