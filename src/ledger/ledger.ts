/** How a ledger is opened, and what its calls need besides the database: the lock, the mark, and what this process knows of the clock. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Clock } from '../core/clock.ts';
import type { ClockReading } from '../core/clock-reading.ts';
import { behindSentence, type MissingClaims } from '../core/missing-claims.ts';
import { Problem } from '../core/problem.ts';
import type { Work } from '../db/batch.ts';
import { damagesIn, partsOf } from '../db/damage.ts';
import type { CallsOf, Tx } from '../db/db.ts';
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
import { type Closing, inProcess, type OpenedWork } from '../db/worker.ts';
import { makeFolderSync } from '../platform/write-file.ts';
import type { Arrival, Rules } from '../rewards/reward.ts';
import { looks, reads, writes } from './calls.ts';
import type { DeepPart } from './check.ts';
import { type ClockNews, ClockSense } from './clock.ts';
import type { CommandClaim, Settlement } from './grant.ts';
import { claim, settle } from './queue.ts';
import { type Recorded, recordVote } from './record.ts';
import { useTimeZone } from './running.ts';
import { ledgerSchema } from './schema.ts';

/** What calls take and return. */
export type * from './check.ts';
export type * from './clock.ts';
export type * from './figures.ts';
export type * from './find-grants.ts';
export type * from './find-votes.ts';
export type * from './grant.ts';
export type * from './imports.ts';
export type * from './meta.ts';
export type * from './operator.ts';
export type * from './outbox.ts';
export type * from './parties.ts';
export type * from './player-view.ts';
export type * from './players.ts';
export type * from './privacy.ts';
export type * from './record.ts';
export type * from './refusals.ts';
export type * from './running.ts';
export type * from './sites.ts';
export type * from './terms.ts';
export type * from './tops.ts';

/**
 * The one place where votes and grants are kept. What can be called is derived from the calls themselves, which are listed in
 * `calls.ts`. Arguments and results are plain values. All times are milliseconds since the Unix epoch. A call that cannot store
 * rejects with a Problem (`ledger-locked`, `ledger-full`, `ledger-replaced`, `ledger-failed`, `thread-ended`) and has changed nothing.
 */
export interface Ledger extends Closing<CallsOf<LedgerModule>>, OfProcess {
  /** Whether it was created at this opening although Teller had delivered from an earlier one. */
  readonly replacesLost: boolean;
}

export interface OpenedLedger extends Pick<Ledger, 'replacesLost'> {
  readonly work: Work;
}

/**
 * @param mode 'create': also its folder. 'read': nothing can be written.
 * @throws Problem as `openSqlite`; also `ledger-behind` if its newest part is missing: its grants would be paid again. Nothing may be
 * written before the -wal is back, because SQLite would then apply it to a file that it does not fit.
 */
export function openLedgerFile(file: string, mode: Mode): OpenedLedger {
  try {
    if (mode === 'create' && file !== TEMPORARY) makeFolderSync(dirname(file));
  } catch (error) {
    const sentence = `The folder ${dirname(file)} cannot be created (${(error as Error).message}).`;
    throw new Problem('data-unwritable', sentence, { cause: error });
  }
  const replacesLost = file !== TEMPORARY && !existsSync(file) && existsSync(lockFileOf(file));
  const opened = openSqlite(file, ledgerSchema, mode, () => resetMark(markFileOf(file)));
  try {
    const missing = mode === 'read' ? null : missingClaims(opened);
    if (missing !== null) throw new Problem('ledger-behind', behindSentence(opened.name, missing));
    const { end, ...own } = ofProcess(opened);
    const work: Work = {
      ...{ ...own, file: opened, looks },
      writes: { ...writes, ...own.writes },
      reads: { ...reads, ...own.reads },
      beforeWriting: () => {
        if (!opened.isSame()) throw replaced(opened.name);
      },
      asProblem: (error) => usingProblem(error, 'ledger'),
      close: () => {
        end();
        opened.close();
      },
    };
    return { work, replacesLost };
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
  const marked = (tx: Tx, claims: number | null): number | null => {
    if (claims !== null) tx.afterCommit(() => mark.set(claims));
    return claims;
  };
  return {
    writes: {
      /** Without a reading, the clock is not judged. */
      record: async (tx: Tx, arrival: Arrival, reading: ClockReading | null): Promise<Recorded> =>
        await recordVote(tx, arrival, reading === null ? null : await sense.judge(tx, reading)),
      claim: async (tx: Tx, claimed: CommandClaim) => marked(tx, await claim(tx, claimed)),
      // Without a file, no other process can deliver.
      useTimeZone: (tx: Tx, zone: string) =>
        useTimeZone(tx, zone, () => file.name !== TEMPORARY && isLockHeld(lockFileOf(file.name))),
    },
    settles: {
      settle: async (tx: Tx, settlement: Settlement, next?: CommandClaim) =>
        marked(tx, await settle(tx, settlement, next)),
    },
    reads: {
      missing: async (_: Tx) => missingClaims(file),
      deepParts: async (_: Tx) => partsOf(file),
      damagesIn: async (_: Tx, part: DeepPart) => damagesIn(file, part),
    },
    /** What no transaction can undo. */
    outside: {
      /**
       * Tries to become the only process that delivers (rule 6); it stays that until `stopDelivering`, or until it ends. False if another
       * process delivers. Rejects with `data-unwritable`.
       */
      startDelivering: (): boolean => {
        lock ??= acquireLock(lockFileOf(file.name));
        return lock !== null;
      },
      /** Lets another process deliver. */
      stopDelivering,
      /** A number that changes when another process has written. */
      version: (): number => file.version(),
      /**
       * Removes from the disk what was removed or replaced in the ledger: until then it can be read in the -wal.
       *
       * @param patienceMs how long to wait for others that read the ledger. @returns whether it was done.
       */
      erase: (patienceMs: number): boolean => file.emptyWal(patienceMs),
    },
    end: () => {
      stopDelivering();
      mark.close();
    },
  };
}

type Process = ReturnType<typeof ofProcess>;
/** The calls that are transactions; the interface of the ledger is derived from them. */
export type LedgerModule = typeof writes &
  typeof looks &
  typeof reads &
  Process['writes'] &
  Process['settles'] &
  Process['reads'];

/** The calls that no transaction can undo. */
export type OfProcess = {
  [Name in keyof Process['outside']]: (
    ...args: Parameters<Process['outside'][Name]>
  ) => Promise<ReturnType<Process['outside'][Name]>>;
};

export interface LedgerOptions {
  readonly clock: Clock;
  readonly onClockNews?: (news: ClockNews) => void;
  /** How long a call waits if another process has locked the ledger; by default 3 s. */
  readonly patienceMs?: number;
}

/**
 * Opens the ledger on this thread, which then waits for the disk: for commands that do little else, and for tests. Rejects with a
 * Problem (see `openLedgerFile`).
 */
export const openLedger = async (file: string, mode: Mode, options: LedgerOptions): Promise<Ledger> =>
  ledgerInProcess(openLedgerFile(file, mode), options);

export const ledgerInProcess = (
  { work, replacesLost }: OpenedLedger,
  { clock, onClockNews = () => {}, patienceMs }: LedgerOptions,
): Ledger => {
  const onNews = (news: unknown): void => onClockNews(news as ClockNews);
  const calls = inProcess<LedgerModule>(work, { clock, onNews, patienceMs });
  return { ...(calls as typeof calls & OfProcess), replacesLost };
};

/** What a thread opens; plain values. */
export interface LedgerPlace {
  readonly file: string;
  readonly mode: Mode;
}

/** Opens it for a thread that serves the calls of another: see `openLedgerThread`. */
export function openLedgerToServe({ file, mode }: LedgerPlace): OpenedWork {
  const { work, replacesLost } = openLedgerFile(file, mode);
  return { work: receivingRules(work), facts: replacesLost };
}

/** A vote on its way to the ledger's thread. Its rules are sent once and are then named by their number. */
export interface SentArrival extends Omit<Arrival, 'rules'> {
  readonly rules: number;
}

/** The other end of `sendingRules`. */
function receivingRules(work: Work): Work {
  const known = new Map<number, Rules>();
  const recordCall = work.writes.record as (...args: readonly unknown[]) => Promise<unknown>;
  const record = async (tx: Tx, sent: SentArrival, reading: ClockReading | null): Promise<unknown> => {
    const rules = known.get(sent.rules);
    if (rules === undefined) throw new Error(`the rules ${sent.rules} were not sent`);
    return await recordCall(tx, { ...sent, rules }, reading);
  };
  return {
    ...work,
    writes: { ...work.writes, record },
    outside: {
      ...work.outside,
      useRules: (number: number, rules: Rules) => void known.set(number, rules),
      forgetRules: (number: number) => void known.delete(number),
    },
  };
}

/**
 * A new ledger for votes that nobody cast. It records like any other, but does not wait for the disk, and nothing is delivered from
 * it. Rejects with a Problem (see `openSqlite`).
 */
export const openTemporaryLedger = async (clock: Clock): Promise<Ledger> =>
  openLedger(TEMPORARY, 'create', { clock });

/** Without this check, SQLite would report success for writes into a file that is gone, and they would be lost. */
const replaced = (file: string): Problem =>
  new Problem(
    'ledger-replaced',
    `${file} was moved, removed or replaced while Teller was running, so nothing more is written. Put it back. Or, to start over with an empty ledger that does not know what was paid, stop Teller, remove ${file}-wal as well, and start Teller again.`,
  );
