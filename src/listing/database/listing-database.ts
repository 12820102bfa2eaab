import type { Database } from 'better-sqlite3';
import type { Clock } from '../../core/clock.ts';
import type { Problem } from '../../core/problem.ts';
import type { Changes } from '../changes/changes.ts';
import type { Reads } from '../reads/reads.ts';

/**
 * The listing service's database. Whatever a change stored is seen by every read that begins after the change was
 * answered. All times are milliseconds since the Unix epoch.
 */
export interface ListingDatabase {
  /** Everything that changes it. Each change resolves when it is on disk, and rejects with a Problem. */
  readonly changes: Changes;
  /** The queries that can be long. */
  readonly reads: Reads;
  /** For queries of a few rows by a key, on this thread. Nothing is written through it. */
  readonly database: Database;
}

export interface OpenListingDatabase extends ListingDatabase {
  /** Resolves when everything that was called is answered, and the database is closed. */
  close(): Promise<void>;
}

export interface ListingDatabaseOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'nextTurn' | 'after'>;
  /** Called if nothing can be stored any more, so that the process should end. */
  readonly onEnded: (problem: Problem) => void;
}

/** Opens the database, and creates it. Rejects with a Problem (see `openSqlite`). */
export type OpenListing = (file: string, options: ListingDatabaseOptions) => Promise<OpenListingDatabase>;
