import type { Mode, SqliteFile } from '../../db/sqlite.ts';
import { type Closing, onThreads } from '../../db/worker.ts';
import { ownModule } from '../../platform/own-module.ts';
import { startThread, type Thread } from '../../platform/thread.ts';
import type { ListingDatabaseOptions, OpenListingDatabase } from './listing-database.ts';
import { type ListingCalls, openListingFile } from './work.ts';

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
  const opened = await onThreads({
    ...{ clock, writer, reader, onEnded },
    start: options.start ?? startOwnThread,
    onNews: () => {},
  });
  const calls = opened.calls as unknown as Closing<ListingCalls>;
  const pages = await forPages(file, calls.close);
  const close = async (): Promise<void> => {
    // Before the threads close theirs: the connection that closes last clears the -wal, and this one cannot.
    pages.close();
    await calls.close();
  };
  return { changes: calls, reads: calls, database: pages.connection, close };
}

/** If it cannot be opened, closes the threads, which would keep the process from ending. */
async function forPages(file: string, close: () => Promise<void>): Promise<SqliteFile> {
  try {
    return openListingFile(file, 'read');
  } catch (error) {
    await close();
    throw error;
  }
}
