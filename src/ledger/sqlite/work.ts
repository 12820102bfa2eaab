import type { ClockReading } from '../../core/clock-reading.ts';
import type { Arrival } from '../../rewards/arrival.ts';
import type { Call, Synchronous } from '../../sqlite/calls.ts';
import { acquireLock, type HeldLock, lockFileOf } from '../../sqlite/lock.ts';
import { markFileOf, openMark } from '../../sqlite/mark.ts';
import type { Database } from '../../sqlite/open.ts';
import { sameFileCheck } from '../../sqlite/same-file.ts';
import type { DatabaseWork } from '../../sqlite/work.ts';
import type {
  GrantLedger,
  LedgerCalls,
  LedgerReader,
  OperatorLedger,
  UnlistedLedger,
  VoteLedger,
} from '../ledger.ts';
import { ClockJudging } from './clock-judging.ts';
import { ClockKeeping } from './clock-keeping.ts';
import { CountsCheck } from './counts-check.ts';
import { damagesIn, deepParts } from './damages.ts';
import { Foreseeing } from './foreseeing.ts';
import { Giving } from './giving.ts';
import { Granting } from './granting.ts';
import { ledgerKinds } from './kinds.ts';
import { KnownRewards } from './known-rewards.ts';
import { missingClaims } from './missing.ts';
import { OpenGrants } from './open-grants.ts';
import { Operating } from './operating.ts';
import { Orphaned } from './orphaned.ts';
import { asProblem, replaced } from './problems.ts';
import { Queues } from './queues.ts';
import { Reading } from './reading.ts';
import { Recording } from './recording.ts';
import { Recovering } from './recovering.ts';
import { StoredReasons } from './reward-reasons.ts';
import { Rewarding } from './rewarding.ts';
import { TermKeeping } from './term-keeping.ts';
import { TimeZone } from './time-zone.ts';
import { UnlistedVotes, waitingVotes } from './unlisted-votes.ts';
import { Voiding } from './voiding.ts';

export type LedgerWork = DatabaseWork<LedgerCalls>;

/** What was read or added by earlier transactions, shared by all that write. */
interface Known {
  readonly rewards: KnownRewards;
  readonly reasons: StoredReasons;
}

/** How many commands were ever claimed, as stored by the present transaction; null if it claims none. */
interface Claims {
  made: number | null;
}

/** The calls of the ledger on an open database, which `close` closes. */
export function ledgerWork(database: Database): LedgerWork {
  const timeZone = new TimeZone(database);
  const known: Known = { rewards: new KnownRewards(database), reasons: new StoredReasons(database) };
  const clockKeeping = new ClockKeeping(database, timeZone);
  const judging = new ClockJudging(clockKeeping);
  const recovering = new Recovering(database);
  const claims: Claims = { made: null };
  const delivering = deliveringOf(database);
  const mark = openMark(markFileOf(database.name));
  const isSameFile = sameFileCheck(database);
  return {
    database,
    kinds: ledgerKinds,
    calls: {
      ...votesOf(database, known, judging),
      ...unlistedOf(database, known, clockKeeping),
      useTimeZone: (zone) => timeZone.use(zone),
      useRewards: (rewards, today) => {
        for (const reward of rewards) known.rewards.use(reward, today);
      },
      ...grantsOf(database, claims),
      ...delivering.calls,
      ...operatorOf(database, known, clockKeeping),
      firstSeen: (site, now) => recovering.firstSeen(site, now),
      recoveredUntil: (site) => recovering.recoveredUntil(site),
      setRecoveredUntil: (site, until) => recovering.setRecoveredUntil(site, until),
      knownEvents: (service, eventIds) => recovering.knownEvents(service, eventIds),
      ...readerOf(database, clockKeeping, timeZone),
    },
    beforeWriting: () => {
      if (!isSameFile()) throw replaced(database.name);
    },
    begin: (calls) => {
      claims.made = null;
      known.rewards.begin();
      known.reasons.begin();
      judgeFor(judging, calls);
    },
    committed: () => {
      // After the commit, so that the mark is never ahead of the ledger; before the command is sent, so that it is
      // included.
      if (claims.made !== null) mark.set(claims.made);
      return judging.news();
    },
    asProblem,
    close: () => {
      delivering.end();
      mark.close();
      database.close();
    },
  };
}

/** All votes of a transaction are dated by the latest reading of the clock. */
function judgeFor(judging: ClockJudging, calls: readonly Call[]): void {
  const records = calls.filter(({ name }) => name === 'record');
  const args = records.map(({ args }) => args as readonly [Arrival, ClockReading | null]);
  const reading = args.map(([, taken]) => taken).findLast((taken) => taken !== null) ?? null;
  judging.judge(
    args.map(([arrival]) => arrival),
    reading,
  );
}

function votesOf(
  database: Database,
  { rewards, reasons }: Known,
  judging: ClockJudging,
): Synchronous<VoteLedger> {
  const recording = new Recording(database, rewards, reasons);
  return {
    record: (arrival, reading) => recording.record(arrival, reading === null ? null : judging.shiftMs),
    countRefusals: (counts) => recording.countRefusals(counts),
  };
}

/** Made when first needed: few processes pay votes of services that were listed later. */
function unlistedOf(
  database: Database,
  { rewards, reasons }: Known,
  clockKeeping: ClockKeeping,
): Synchronous<UnlistedLedger> {
  let made: UnlistedVotes | null = null;
  const unlisted = (): UnlistedVotes =>
    (made ??= new UnlistedVotes(database, rewards, reasons, clockKeeping));
  return {
    noteListed: (services, now) => unlisted().note(services, now),
    keepListed: (services, now) => unlisted().keep(services, now),
    payUnlisted: (order, now) => unlisted().pay(order, now),
  };
}

type Delivering = Pick<GrantLedger, 'startDelivering' | 'stopDelivering' | 'version'>;

function deliveringOf(database: Database): {
  readonly calls: Synchronous<Delivering>;
  readonly end: () => void;
} {
  let lock: HeldLock | null = null;
  const end = (): void => {
    lock?.release();
    lock = null;
  };
  return {
    calls: {
      startDelivering: () => {
        lock ??= acquireLock(lockFileOf(database.name));
        return lock !== null;
      },
      stopDelivering: end,
      version: () => Number(database.pragma('data_version', { simple: true })),
    },
    end,
  };
}

function grantsOf(database: Database, claims: Claims): Synchronous<Omit<GrantLedger, keyof Delivering>> {
  const granting = new Granting(database);
  const open = new OpenGrants(database);
  const queues = new Queues(database);
  const orphaned = new Orphaned(database);
  const terms = new TermKeeping(database);
  const claimed = (made: number | null): boolean => {
    claims.made = made ?? claims.made;
    return made !== null;
  };
  return {
    pending: (queue, now, limit) => open.pending(queue, now, limit),
    waiting: (queue, keys, now, limit) => open.waiting(queue, keys, now, limit),
    waitingFor: (queue, limit, after) => open.waitingFor(queue, limit, after),
    nextDueAt: (queue, now) => open.nextDueAt(queue, now),
    wait: (grant, reason, now, dueAt) => granting.wait(grant, reason, now, dueAt),
    waitForAbsent: (queue, page, present, reason, now) =>
      granting.waitForAbsent(queue, page, present, reason, now),
    storeLikelyPlayers: (queue, players) => granting.storeLikelyPlayers(queue, players),
    claim: (claim) => claimed(granting.claim(claim)),
    settle: (settlement, next) => claimed(granting.settle(settlement, next)),
    settleInterrupted: (now) => {
      queues.forget();
      return granting.settleInterrupted(now);
    },
    hasTermsDue: (now) => terms.hasDue(now),
    applyTerms: (now) => terms.apply(now),
    storeQueueState: (server, reason, now) => queues.store(server, reason, now),
    holdOrphaned: (servers, now, upTo) => orphaned.hold(servers, now, upTo),
  };
}

function operatorOf(
  database: Database,
  { rewards, reasons }: Known,
  clockKeeping: ClockKeeping,
): Synchronous<OperatorLedger> {
  const operating = new Operating(database);
  const rewarding = new Rewarding(database, rewards, reasons);
  const giving = new Giving(database, rewards);
  const voiding = new Voiding(database);
  return {
    lateReward: (voteId, by) => rewarding.late(voteId, by),
    rewardVote: (voteId, by, now) => rewarding.reward(voteId, by, now),
    giveReward: (given, now) => giving.give(given, now),
    voidVotes: (ids, order, now) => voiding.void(ids, order, now),
    recount: ({ recipients, network }) => {
      const counts = new CountsCheck(database);
      counts.recount(recipients);
      if (network) counts.recountNetwork();
    },
    pay: (grantId, order, now) => operating.pay(grantId, order, now),
    continueAfter: (grantId, order, now) => operating.continueAfter(grantId, order, now),
    markPaid: (grantId, now) => operating.markPaid(grantId, now),
    cancel: (grantId, now) => operating.cancel(grantId, now),
    releaseClock: (wall, now) => clockKeeping.release(wall, now),
  };
}

function readerOf(
  database: Database,
  clockKeeping: ClockKeeping,
  timeZone: TimeZone,
): Synchronous<LedgerReader> {
  const reading = new Reading(database);
  let foreseeing: Foreseeing | null = null;
  const queues = new Queues(database);
  return {
    votes: (filter) => reading.votes(filter),
    grants: (filter) => reading.grants(filter),
    tallies: (startOfDay) => reading.tallies(startOfDay),
    waitingVotes: (since) => waitingVotes(database, since),
    sharedWindows: (site, since, limit) => reading.sharedWindows(site, since, limit),
    refusals: (since) => reading.refusals(since),
    signedServices: (services) => reading.signedServices(services),
    judge: (arrival) => {
      foreseeing ??= new Foreseeing(database);
      return foreseeing.judge(arrival);
    },
    grantStates: () => reading.grantStates(),
    queues: () => queues.all(),
    recipientKeys: (min, max, limit) => reading.recipientKeys(min, max, limit),
    missing: () => missingClaims(database),
    timeZone: () => timeZone.stored(),
    clock: () => clockKeeping.history(),
    deepParts: () => deepParts(database),
    damagesIn: (part) => damagesIn(database, part),
    wrongCounts: (after) => new CountsCheck(database).wrong(after),
    isNetworkCountWrong: () => new CountsCheck(database).isNetworkWrong(),
  };
}
