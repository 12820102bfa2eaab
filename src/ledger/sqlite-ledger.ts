import Database from 'better-sqlite3';
import type { Clock } from '../core/clock.ts';
import type { Arrival } from '../core/decide.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { markFileOf, openMark } from '../sqlite/mark.ts';
import { type Mode, openDatabase } from '../sqlite/open.ts';
import { isBusy, patiently, writer } from '../sqlite/patience.ts';
import { sameFileCheck } from '../sqlite/same-file.ts';
import { isSystemError } from '../sqlite/system-error.ts';
import type { JudgeClock } from './clock-history.ts';
import { ClockKeeping } from './clock-keeping.ts';
import { damagesOf } from './damages.ts';
import { Granting } from './granting.ts';
import type { Ledger, LedgerReader, OperatorLedger } from './ledger.ts';
import { missingClaims, requireWhole } from './missing.ts';
import { Operating } from './operating.ts';
import { Queues } from './queues.ts';
import { Reading } from './reading.ts';
import { Recording } from './recording.ts';
import { Recovering } from './recovering.ts';
import { Rewarding } from './rewarding.ts';
import { ledgerSchema } from './schema.ts';

/** Opens the ledger at `file`. Throws a Problem (see `openDatabase`), also `ledger-behind` and `ledger-failed`. */
export function openLedger(file: string, mode: Mode, clock: Clock): Ledger {
  const database = openDatabase(file, ledgerSchema, mode);
  try {
    if (mode !== 'read') requireWhole(database);
    return sqliteLedger(database, clock);
  } catch (error) {
    database.close();
    throw asProblem(error);
  }
}

/** The ledger in an open SQLite database, which it closes. */
export function sqliteLedger(database: Database.Database, clock: Clock): Ledger {
  const recording = new Recording(database, clock.zone);
  const granting = new Granting(database);
  const recovering = new Recovering(database);
  const queues = new Queues(database);
  const clockKeeping = new ClockKeeping(database, clock.zone);
  const transact = writer(database, clock);
  const isSameFile = sameFileCheck(database);
  const mark = openMark(markFileOf(database.name));
  const write: Write = (work) =>
    withProblems(
      transact(() => {
        if (!isSameFile()) throw replaced(database.name);
        return work();
      }),
    );
  const look: Look = (read) => withProblems(patiently(clock, read));
  return {
    record: (arrivals, decide, judgeClock) =>
      write(() => {
        const clockShift = judgeClock === undefined ? null : judged(judgeClock, clockKeeping, arrivals);
        return arrivals.map((arrival) => recording.record(arrival, decide, clockShift));
      }),
    countRefusals: (counts) => write(() => recording.countRefusals(counts)),

    pending: (queue, now, limit) => look(() => granting.pending(queue, now, limit)),
    waiting: (queue, keys, now, limit) => look(() => granting.waiting(queue, keys, now, limit)),
    waitingFor: (queue, limit, after) => look(() => granting.waitingFor(queue, limit, after)),
    nextDueAt: (queue) => look(() => granting.nextDueAt(queue)),
    wait: (grantId, reason, now, dueAt) => write(() => granting.wait(grantId, reason, now, dueAt)),
    storeLikelyPlayer: (queue, key, likely) => write(() => granting.storeLikelyPlayer(queue, key, likely)),
    claim: async (grantId, position, player, now, uuid) => {
      const claims = await write(() => granting.claim(grantId, position, player, now, uuid));
      // After the commit, so that the mark is never ahead of the ledger; before the command is sent, so that it is
      // included.
      if (claims !== null) mark.set(claims);
      return claims !== null;
    },
    settle: (settlement) => write(() => granting.settle(settlement)),
    settleInterrupted: (now) =>
      write(() => {
        queues.forget();
        return granting.settleInterrupted(now);
      }),
    storeQueueState: (server, reason, now) => write(() => queues.store(server, reason, now)),
    holdOrphaned: (servers, now) => write(() => granting.holdOrphaned(servers, now)),
    version: versionOf(database),

    ...operatorOf(database, clockKeeping, look, write),

    firstSeen: (site, now) => write(() => recovering.firstSeen(site, now)),
    recoveredUntil: (site) => look(() => recovering.recoveredUntil(site)),
    setRecoveredUntil: (site, until) => write(() => recovering.setRecoveredUntil(site, until)),
    knownEvents: (service, eventIds) => look(() => recovering.knownEvents(service, eventIds)),

    ...readerOf(database, clockKeeping, look),

    close: () => {
      mark.close();
      database.close();
    },
  };
}

type Look = <Result>(read: () => Result) => Promise<Result>;
type Write = <Result>(work: () => Result) => Promise<Result>;

function operatorOf(
  database: Database.Database,
  clockKeeping: ClockKeeping,
  look: Look,
  write: Write,
): OperatorLedger {
  const operating = new Operating(database);
  const rewarding = new Rewarding(database);
  return {
    voteRewardRefusal: (voteId) => look(() => rewarding.refusal(voteId)),
    rewardVote: (voteId, reward, now) => write(() => rewarding.reward(voteId, reward, now)),
    pay: (grantId, order, now) => write(() => operating.pay(grantId, order, now)),
    continueAfter: (grantId, order, now) => write(() => operating.continueAfter(grantId, order, now)),
    markPaid: (grantId, now) => write(() => operating.markPaid(grantId, now)),
    cancel: (grantId, now) => write(() => operating.cancel(grantId, now)),
    releaseClock: (wall, now) => write(() => clockKeeping.release(wall, now)),
  };
}

function readerOf(database: Database.Database, clockKeeping: ClockKeeping, look: Look): LedgerReader {
  const reading = new Reading(database);
  const queues = new Queues(database);
  return {
    votes: (filter) => look(() => reading.votes(filter)),
    grants: (filter) => look(() => reading.grants(filter)),
    tallies: (startOfDay) => look(() => reading.tallies(startOfDay)),
    sharedWindows: (site, since, limit) => look(() => reading.sharedWindows(site, since, limit)),
    refusals: (since) => look(() => reading.refusals(since)),
    signedServices: (services) => look(() => reading.signedServices(services)),
    rewardedSince: (site, recipient, castAfter) =>
      look(() => reading.rewardedSince(site, recipient, castAfter)),
    grantStates: () => look(() => reading.grantStates()),
    queues: () => look(() => queues.all()),
    recipientKeys: (min, max, limit) => look(() => reading.recipientKeys(min, max, limit)),
    missing: () => look(() => missingClaims(database)),
    clock: () => look(() => clockKeeping.history()),
    damages: (onPart = () => {}) => withProblems(damagesOf(database, onPart)),
  };
}

/** How much to add to receipt times while the clock is doubted; null while it is trusted. */
function judged(judge: JudgeClock, keeping: ClockKeeping, arrivals: readonly Arrival[]): number | null {
  const stored = keeping.stored();
  const verdict = judge(stored, arrivals, (service) => keeping.usualOffsets(service));
  keeping.keep(stored, verdict);
  return verdict.stored.doubt === null ? null : verdict.shiftMs;
}

/**
 * SQLite's counter of writes by other connections. A timer calls this, so it does not fail if the counter cannot be
 * read: the next read or write will report the problem.
 */
function versionOf(database: Database.Database): () => number {
  let known = 0;
  return () => {
    try {
      known = Number(database.pragma('data_version', { simple: true }));
    } catch (error) {
      if (!(error instanceof Database.SqliteError)) throw error;
    }
    return known;
  };
}

/** Without this check, SQLite would report success for writes into a file that is gone, and they would be lost. */
const replaced = (file: string): Problem =>
  new Problem(
    'ledger-replaced',
    `${file} was moved, removed or replaced while Teller was running, so nothing more is written. Put it back. Or, to start over with an empty ledger that does not know what was paid, stop Teller, remove ${file}-wal as well, and start Teller again.`,
  );

async function withProblems<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw asProblem(error);
  }
}

/** The Problem for an error of the disk, whether SQLite reports it or our check that the file still exists. */
function asProblem(error: unknown): unknown {
  if (isSystemError(error)) return new Problem('ledger-failed', failedSentence(error), { cause: error });
  if (!(error instanceof Database.SqliteError)) return error;
  const [code, sentence] = problemOf(error);
  return new Problem(code, sentence, { cause: error });
}

function problemOf(error: InstanceType<typeof Database.SqliteError>): [ProblemCode, string] {
  if (isBusy(error))
    return [
      'ledger-locked',
      'Another program has locked the ledger. End that program, or wait until it is done.',
    ];
  if (error.code === 'SQLITE_FULL') {
    return [
      'ledger-full',
      'The ledger cannot grow because the disk is full. Free some space; Teller then continues automatically.',
    ];
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB') {
    return ['ledger-corrupt', `The ledger is damaged (${error.message}). Restore the last backup.`];
  }
  return ['ledger-failed', failedSentence(error)];
}

const failedSentence = ({ message }: Error): string =>
  `The ledger could not be read or written (${message}). Check its disk, owner and quota; Teller tries again automatically.`;
