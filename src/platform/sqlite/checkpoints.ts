import { statfsSync } from 'node:fs';
import type { Database } from 'better-sqlite3';
import { Sqlite } from './driver.ts';

/**
 * How far the -wal grows before its pages are copied into the file: 16 MiB. Pages that changed several times meanwhile are
 * copied once. With ten million votes, SQLite's default of 1,000 pages wrote 40 to 55 KiB for each vote, and this 34 to 43.
 */
const USUAL_PAGES = 4_000;
/** On a disk that is nearly full, where a -wal that grows takes the room that the file itself needs. */
const NEARLY_FULL_PAGES = 100;
/** With so much room, a -wal can grow to its usual size, and its pages can be copied into the file. */
const ENOUGH_BYTES = 64 * 1024 * 1024;

/** Decides when SQLite copies the -wal into the file. The -wal itself is used again from its beginning, and does not shrink. */
export class Checkpoints {
  private isNearlyFull = false;
  /** A call of the transaction in progress found the disk full. */
  private isFull = false;
  /** Whether it was tried since the last success: it may write 16 MiB, and while nothing changes it would fail again. */
  private wasTried = false;

  constructor(private readonly database: Database) {}

  /** Call this with each error of a call or a transaction. */
  failed(error: unknown): void {
    this.isFull ||= error instanceof Sqlite.SqliteError && error.code === 'SQLITE_FULL';
  }

  /** Call this when a transaction has ended in any way. */
  ended(): void {
    if (this.isFull) this.copyNow();
    else if (this.isNearlyFull) this.lookForRoom();
    this.isFull = false;
  }

  private copyNow(): void {
    this.isNearlyFull = true;
    copyAt(this.database, NEARLY_FULL_PAGES);
    if (this.wasTried) return;
    this.wasTried = true;
    try {
      this.database.pragma('wal_checkpoint(PASSIVE)');
    } catch {
      // The file cannot grow either. With a little room, the next commit tries again.
    }
  }

  private lookForRoom(): void {
    this.wasTried = false;
    if (roomFor(this.database.name) < ENOUGH_BYTES) return;
    this.isNearlyFull = false;
    useCheckpoints(this.database);
  }
}

export const useCheckpoints = (database: Database): void => copyAt(database, USUAL_PAGES);

const copyAt = (database: Database, pages: number): void =>
  void database.pragma(`wal_autocheckpoint = ${pages}`);

function roomFor(file: string): number {
  try {
    const { bavail, bsize } = statfsSync(file);
    return bavail * bsize;
  } catch {
    return 0; // asked again after the next commit
  }
}

/**
 * Copies the whole -wal into the file and makes it empty, so that nothing that was overwritten remains in it. Others that write
 * wait meanwhile.
 *
 * @returns false: another connection reads all this time, so it has to be tried again.
 */
export function emptyWal(database: Database, patienceMs: number): boolean {
  database.pragma(`busy_timeout = ${patienceMs}`);
  try {
    const [row] = database.pragma('wal_checkpoint(TRUNCATE)') as readonly { readonly busy: number }[];
    return row?.busy === 0;
  } finally {
    database.pragma('busy_timeout = 0');
  }
}
