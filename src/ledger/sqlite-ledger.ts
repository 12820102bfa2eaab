import Database from 'better-sqlite3';
import { type Clock, pause } from '../core/clock.ts';
import { Problem, type ProblemCode } from '../core/problem.ts';
import { type Mode, openDatabase } from '../sqlite/open.ts';
import { Granting } from './granting.ts';
import type { Ledger } from './ledger.ts';
import { Operating } from './operating.ts';
import { Reading } from './reading.ts';
import { Recording } from './recording.ts';
import { ledgerSchema } from './schema.ts';

/** How long a write tries again while another process holds the ledger, within the deadline of a sender. */
const LOCKED_PATIENCE_MS = 3_000;
const LOCKED_PAUSE_MS = 20;

/** Opens the ledger at `file`. Throws a Problem (see `openDatabase`). */
export const openLedger = (file: string, mode: Mode, clock: Clock): Ledger =>
  sqliteLedger(openDatabase(file, ledgerSchema, mode), clock);

/** The ledger in an open SQLite database, which it closes. */
export function sqliteLedger(database: Database.Database, clock: Clock): Ledger {
  const recording = new Recording(database);
  const granting = new Granting(database);
  const operating = new Operating(database);
  const reading = new Reading(database);
  const write = writer(database, clock);
  return {
    record: (arrivals, decide) => write(() => arrivals.map((arrival) => recording.record(arrival, decide))),
    countRefusals: (counts) => write(() => recording.countRefusals(counts)),

    pending: async (server, now, limit) => granting.pending(server, now, limit),
    waiting: async (server, keys, now) => granting.waiting(server, keys, now),
    waitingFor: async (server, limit, skip) => granting.waitingFor(server, limit, skip),
    nextDueAt: async (server) => granting.nextDueAt(server),
    wait: (grantId, note, now) => write(() => granting.wait(grantId, note, now)),
    claim: (grantId, position, player, now) => write(() => granting.claim(grantId, position, player, now)),
    settle: (settlement) => write(() => granting.settle(settlement)),
    takeOver: (now) => write(() => granting.takeOver(now)),
    holdStrangers: (servers, now) => write(() => granting.holdStrangers(servers, now)),
    version: () => Number(database.pragma('data_version', { simple: true })),

    pay: (grantId, texts, now) => write(() => operating.pay(grantId, texts, now)),
    markPaid: (grantId, now) => write(() => operating.markPaid(grantId, now)),
    cancel: (grantId, now) => write(() => operating.cancel(grantId, now)),

    votes: (filter) => look(() => reading.votes(filter)),
    grants: (filter) => look(() => reading.grants(filter)),
    tallies: (startOfDay) => look(() => reading.tallies(startOfDay)),
    refusals: (since) => look(() => reading.refusals(since)),
    rewardedSince: (site, key, castAfter) => look(() => reading.rewardedSince(site, key, castAfter)),
    grantStates: () => look(() => reading.grantStates()),
    recipientKeys: (least, most, limit) => look(() => reading.recipientKeys(least, most, limit)),
    damages: () => look(() => reading.damages()),

    close: () => database.close(),
  };
}

/** What only looks needs no transaction, but its errors are the operator's as well. */
async function look<Result>(read: () => Result): Promise<Result> {
  try {
    return read();
  } catch (error) {
    throw asProblem(error);
  }
}

/**
 * Runs work in one immediate transaction: a deferred one that reads before it writes fails with
 * SQLITE_BUSY_SNAPSHOT when another process wrote in between. Whatever statement fails, the whole of it is undone:
 * SQLITE_FULL ends a transaction silently, and statements run after it would each commit on their own.
 */
function writer(database: Database.Database, clock: Clock) {
  const transaction = database.transaction((work: () => unknown) => work());
  return async <Result>(work: () => Result): Promise<Result> => {
    const giveUpAt = clock.monotonic() + LOCKED_PATIENCE_MS;
    for (;;) {
      try {
        return transaction.immediate(work) as Result;
      } catch (error) {
        if (!isLocked(error) || clock.monotonic() >= giveUpAt) throw asProblem(error);
        await pause(clock, LOCKED_PAUSE_MS);
      }
    }
  };
}

const isLocked = (error: unknown): boolean =>
  error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY');

function asProblem(error: unknown): unknown {
  if (!(error instanceof Database.SqliteError)) return error;
  const [code, sentence] = problemOf(error);
  return new Problem(code, sentence, { cause: error });
}

function problemOf(error: InstanceType<typeof Database.SqliteError>): [ProblemCode, string] {
  if (isLocked(error)) return ['ledger-locked', 'The ledger is held locked by another program.'];
  if (error.code === 'SQLITE_FULL') {
    return ['ledger-full', 'The ledger cannot grow: the disk is full. Make room; Teller goes on by itself.'];
  }
  if (error.code.startsWith('SQLITE_CORRUPT') || error.code === 'SQLITE_NOTADB') {
    return ['ledger-corrupt', `The ledger is damaged (${error.message}); put the last backup in its place.`];
  }
  return ['ledger-failed', `The ledger could not be read or written (${error.message}).`];
}
