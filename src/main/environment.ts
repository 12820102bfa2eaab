import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { NO_OBSERVER, type Observer } from '../core/observer.ts';
import type { Problem } from '../core/problem.ts';
import type { Random } from '../core/random.ts';
import type { GameServer } from '../delivery/game-server.ts';
import type { EmbeddedServer, GameServerConfig } from '../delivery/game-server-kind.ts';
import { kindOf } from '../delivery/kinds.ts';
import type { ClockNews, Ledger } from '../ledger/ledger.ts';
import { openLedgerThread } from '../ledger/on-threads.ts';
import { openFileLimit } from '../platform/open-files.ts';
import type { Thread } from '../platform/thread.ts';

/** What Teller gets from outside: time, random numbers, the log, and access to the ledger and the game servers. */
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
  readonly openLedger: (file: string, watchers: LedgerWatchers) => Promise<Ledger>;
  readonly connect: (
    server: GameServerConfig,
    name: string,
    embedded: EmbeddedServer | null,
  ) => Promise<GameServer>;
}

/** What the ledger tells besides its answers. */
export interface LedgerWatchers {
  readonly onClockNews: (news: ClockNews) => void;
  /** The ledger can store nothing any more. */
  readonly onEnded: (problem: Problem) => void;
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
  connect: (server, name, embedded) => kindOf(server).connect(server, { name, embedded, clock, random, log }),
});
