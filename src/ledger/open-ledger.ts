/** How a ledger is opened, and what its calls need besides the database: the lock, the mark, and what this process knows of the clock. */
import { existsSync } from 'node:fs';
import type { ClockReading } from '../core/clock-reading.ts';
import { behindSentence, type MissingClaims } from '../core/missing-claims.ts';
import { Problem } from '../core/problem.ts';
import type { Work } from '../db/batch.ts';
import { damagesIn, partsOf } from '../db/damage.ts';
import type { Tx } from '../db/db.ts';
import {
  acquireLock,
  type HeldLock,
  isLockHeld,
  lockFileOf,
  markFileOf,
  openMark,
  readMark,
  resetMark,
} from '../db/lock.ts';
import { type Mode, openSqlite, type SqliteFile, TEMPORARY, usingProblem } from '../db/sqlite.ts';
import type { Arrival } from '../rewards/reward.ts';
import { ClockSense } from './clock.ts';
import type { CommandClaim, Settlement } from './grant-ledger.ts';
import type { DeepPart } from './ledger-reader.ts';
import { looks, reads, writes } from './calls.ts';
import { claim, settle } from './queue.ts';
import { recordVote } from './record.ts';
import { useTimeZone } from './running.ts';
import { ledgerSchema } from './schema.ts';
import type { Recorded } from './vote-ledger.ts';

export interface OpenedLedger {
  readonly work: Work;
  /** Whether the file was created although Teller had delivered from an earlier one. */
  readonly replacesLost: boolean;
}

/**
 * @param mode 'create': also its folder. 'read': nothing can be written.
 * @throws Problem as `openSqlite`; also `ledger-behind` if its newest part is missing: its grants would be paid again. Nothing may be
 * written before the -wal is back, because SQLite would then apply it to a file that it does not fit.
 */
export function openLedgerFile(file: string, mode: Mode): OpenedLedger {
  const replacesLost = file !== TEMPORARY && !existsSync(file) && existsSync(lockFileOf(file));
  const opened = openSqlite(file, ledgerSchema, mode, () => resetMark(markFileOf(file)));
  try {
    const missing = mode === 'read' ? null : missingClaims(opened);
    if (missing !== null) throw new Problem('ledger-behind', behindSentence(opened.name, missing));
    return { work: ledgerWork(opened), replacesLost };
  } catch (error) {
    opened.close();
    throw usingProblem(error, 'ledger');
  }
}

/** Reads the mark first: if a process delivers meanwhile, the ledger gets ahead of the mark that was read, never behind. */
function missingClaims(file: SqliteFile): MissingClaims | null {
  const marked = readMark(markFileOf(file.name));
  const row = file.get(`SELECT number FROM meta WHERE name = 'claims'`, []) as { number: number } | undefined;
  const claims = row?.number ?? 0;
  return marked === null || marked <= claims ? null : { claims, marked };
}

/** The calls on an open database, which `close` closes. */
export function ledgerWork(file: SqliteFile): Work {
  const { bound, outside, end } = ofProcess(file);
  const { claim, record, useTimeZone, settle, missing, deepParts, damagesIn } = bound;
  return {
    ...{ file, outside, looks },
    writes: { ...writes, claim, record, useTimeZone },
    settles: { settle },
    reads: { ...reads, missing, deepParts, damagesIn },
    beforeWriting: () => {
      if (!file.isSame()) throw replaced(file.name);
    },
    asProblem: (error) => usingProblem(error, 'ledger'),
    close: () => {
      end();
      file.close();
    },
  };
}

/** What depends on the process, or on a file beside the ledger. */
function ofProcess(file: SqliteFile) {
  const sense = new ClockSense();
  const mark = openMark(markFileOf(file.name));
  let lock: HeldLock | null = null;
  const stopDelivering = (): void => {
    lock?.release();
    lock = null;
  };
  // After the commit, so that the mark is never ahead of the ledger; before the command is sent, so that it is included.
  const marked = (tx: Tx, claims: number | null): boolean => {
    if (claims !== null) tx.afterCommit(() => mark.set(claims));
    return claims !== null;
  };
  return {
    bound: {
      /** Without a reading, the clock is not judged. */
      record: async (tx: Tx, arrival: Arrival, reading: ClockReading | null): Promise<Recorded> =>
        await recordVote(tx, arrival, reading === null ? null : await sense.judge(tx, reading)),
      claim: async (tx: Tx, claimed: CommandClaim) => marked(tx, await claim(tx, claimed)),
      settle: async (tx: Tx, settlement: Settlement, next?: CommandClaim) =>
        marked(tx, await settle(tx, settlement, next)),
      // Without a file, no other process can deliver.
      useTimeZone: (tx: Tx, zone: string) =>
        useTimeZone(tx, zone, () => file.name !== TEMPORARY && isLockHeld(lockFileOf(file.name))),
      missing: async (_: Tx) => missingClaims(file),
      deepParts: async (_: Tx) => partsOf(file),
      damagesIn: async (_: Tx, part: DeepPart) => damagesIn(file, part),
    },
    outside: {
      startDelivering: (): boolean => {
        lock ??= acquireLock(lockFileOf(file.name));
        return lock !== null;
      },
      stopDelivering,
      version: (): number => file.version(),
      erase: (patienceMs: number): boolean => file.emptyWal(patienceMs),
    },
    end: () => {
      stopDelivering();
      mark.close();
    },
  };
}

type Bound = ReturnType<typeof ofProcess>['bound'];
export type LedgerModule = typeof writes & typeof looks & typeof reads & Bound;

/** Without this check, SQLite would report success for writes into a file that is gone, and they would be lost. */
const replaced = (file: string): Problem =>
  new Problem(
    'ledger-replaced',
    `${file} was moved, removed or replaced while Teller was running, so nothing more is written. Put it back. Or, to start over with an empty ledger that does not know what was paid, stop Teller, remove ${file}-wal as well, and start Teller again.`,
  );
