import { ownModule } from '../../platform/own-module.ts';
import { LOCKED_PATIENCE_MS } from '../../platform/sqlite/calls.ts';
import { type Database, type Mode, openDatabase } from '../../platform/sqlite/open.ts';
import { threaded } from '../../platform/sqlite/threaded.ts';
import { startThread, type Thread } from '../../platform/thread.ts';
import { listingSchema } from '../store/schema.ts';
import { type ListingCalls, listingKinds } from './calls.ts';
import type { ListingDatabaseOptions, OpenListingDatabase } from './listing-database.ts';

/** What a thread needs to open the database; plain values. */
export interface ListingPlace {
  readonly file: string;
  readonly mode: Mode;
}

export interface ListingThreadOptions extends ListingDatabaseOptions {
  /** How its threads are started; by default with the module beside this file. */
  readonly start?: () => Thread;
}

const startOwnThread = (): Thread => startThread(ownModule('listing-thread', import.meta.url), null);

/** Opens the database on threads of its own: one writes, and one makes the long queries. */
export async function openListingThreads(
  file: string,
  options: ListingThreadOptions,
): Promise<OpenListingDatabase> {
  const { clock, onEnded } = options;
  const writer: ListingPlace = { file, mode: 'create' };
  const reader: ListingPlace = { file, mode: 'read' };
  const { calls } = await threaded<ListingCalls>(listingKinds, {
    ...{ clock, patienceMs: LOCKED_PATIENCE_MS, writer, reader, onEnded },
    start: options.start ?? startOwnThread,
    onNews: () => {},
  });
  const database = await forPages(file, calls.close);
  const close = async (): Promise<void> => {
    // Before the threads close theirs: the connection that closes last clears the -wal, and this one cannot.
    database.close();
    await calls.close();
  };
  return { changes: calls, reads: calls, database, close };
}

/** If it cannot be opened, closes the threads, which would keep the process from ending. */
async function forPages(file: string, close: () => Promise<void>): Promise<Database> {
  try {
    return openDatabase(file, listingSchema, 'read');
  } catch (error) {
    await close();
    throw error;
  }
}
