import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { NO_OBSERVER, type Observer } from '../core/observer.ts';
import type { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import type { ClockNews, Ledger } from '../ledger/ledger.ts';
import { openLedgerThread } from '../ledger/on-threads.ts';
import { openFileLimit } from '../platform/open-files.ts';
import type { Thread } from '../platform/thread.ts';

/** What Teller gets from outside: time, random numbers, the log, and access to the ledger. */
export interface Environment {
  readonly clock: Clock;
  readonly random: Random;
  /** A reload sets its level, if it has one. */
  readonly log: Log & { level?: string };
  /** How many files this process may have open; null if unknown. */
  readonly openFiles: number | null;
  /** Set to wait until no other program has the listener's port; its abort ends the wait. */
  readonly portWait?: AbortSignal | undefined;
  /** What counts votes, refusals and commands. */
  readonly observer: Observer;
  /** @param watchers `onEnded`: the ledger can store nothing any more. */
  readonly openLedger: (
    file: string,
    watchers: { onClockNews(news: ClockNews): void; onEnded(problem: Problem): void },
  ) => Promise<Ledger>;
}

/** @param early the ledger's thread, if it was started already. */
export const environment = (
  clock: Clock,
  random: Random,
  log: Environment['log'],
  early?: Thread,
): Environment => ({
  clock,
  random,
  log,
  openFiles: openFileLimit(),
  observer: NO_OBSERVER,
  openLedger: (file, watchers) => openLedgerThread(file, { clock, early, ...watchers }),
});
