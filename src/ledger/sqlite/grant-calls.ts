import type { Synchronous } from '../../platform/sqlite/calls.ts';
import { emptyWal } from '../../platform/sqlite/checkpoints.ts';
import { acquireLock, type HeldLock, lockFileOf } from '../../platform/sqlite/lock.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { GrantLedger } from '../ledger.ts';
import type { PauseReader } from '../pause-reader.ts';
import { Announcing } from './announcing.ts';
import { Granting } from './granting.ts';
import { Interrupting } from './interrupting.ts';
import type { Known } from './known.ts';
import { NameHolding } from './name-holding.ts';
import { OpenGrants } from './open-grants.ts';
import { Orphaned } from './orphaned.ts';
import { Queues } from './queues.ts';
import { Removing } from './removing.ts';
import { Seeing } from './seeing.ts';
import { TermKeeping } from './term-keeping.ts';

/** How many commands were ever claimed, as stored by the present transaction; null if it claims none. */
export interface Claims {
  made: number | null;
}

type Delivering = Pick<GrantLedger, 'startDelivering' | 'stopDelivering' | 'version'>;

/** What readers also ask is among their calls. */
type Granted = Omit<GrantLedger, keyof Delivering | keyof PauseReader>;

export function deliveringOf(database: Database): {
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

export function grantsOf(database: Database, { rewards }: Known, claims: Claims): Synchronous<Granted> {
  const granting = new Granting(database);
  const announcing = new Announcing(database);
  const open = new OpenGrants(database);
  const seeing = new Seeing(database, rewards);
  const holding = new NameHolding(database);
  const removing = new Removing(database);
  const queues = new Queues(database);
  const orphaned = new Orphaned(database);
  const interrupting = new Interrupting(database);
  const terms = new TermKeeping(database);
  const claimed = (made: number | null): boolean => {
    claims.made = made ?? claims.made;
    return made !== null;
  };
  return {
    announce: (grantId, how) => announcing.announce(grantId, how),
    storePresent: (keys, practice, now) => announcing.storePresent(keys, practice, now),
    pending: (queue, now, limit) => open.pending(queue, now, limit),
    waiting: (queue, keys, now, limit) => open.waiting(queue, keys, now, limit),
    waitingFor: (queue, limit, after) => open.waitingFor(queue, limit, after),
    nextDueAt: (queue, now) => open.nextDueAt(queue, now),
    causeOf: (grantId) => open.causeOf(grantId),
    wait: (grant, reason, now, dueAt) => granting.wait(grant, reason, now, dueAt),
    waitForAbsent: (queue, page, present, reason, now) =>
      granting.waitForAbsent(queue, page, present, reason, now),
    storeLikelyPlayers: (queue, players) => granting.storeLikelyPlayers(queue, players),
    claim: (claim) => claimed(granting.claim(claim)),
    settle: (settlement, next) => claimed(granting.settle(settlement, next)),
    settleInterrupted: (now, of) => {
      if (of === undefined) queues.forget();
      return interrupting.settle(now, of);
    },
    storeSeen: (report, now) => seeing.store(report, now),
    removeOld: (kept) => removing.remove(kept),
    erase: (patienceMs) => emptyWal(database, patienceMs),
    holdNameTaken: (grantId, now) => holding.holdOne(grantId, now),
    hasTermsDue: (now) => terms.hasDue(now),
    applyTerms: (now) => terms.apply(now),
    storeQueueState: (server, reason, now) => queues.store(server, reason, now),
    holdOrphaned: (servers, now, upTo) => orphaned.hold(servers, now, upTo),
  };
}
