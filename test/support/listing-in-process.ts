import { join } from 'node:path';
import type { SqliteFile } from '../../src/db/sqlite.ts';
import { inProcess } from '../../src/db/worker.ts';
import type {
  ListingDatabaseOptions,
  OpenListing,
  OpenListingDatabase,
} from '../../src/listing/database/listing-database.ts';
import { openListingThreads } from '../../src/listing/database/threaded.ts';
import { type ListingCalls, listingWork, openListingFile } from '../../src/listing/database/work.ts';
import { compiledThread } from './processes.ts';

type AnyCalls = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/**
 * Runs all calls of a listing service's database on this thread, which starts faster than threads of its own. Arguments
 * and results are copied as between threads, so that a value which a thread could not get fails here too.
 */
function listingInProcess(
  file: SqliteFile,
  parts: Pick<ListingDatabaseOptions, 'clock'> & { readonly patienceMs: number },
): OpenListingDatabase {
  const { close, ...calls } = inProcess(listingWork(file), { ...parts, onNews: () => {} });
  const copying = Object.entries(calls as AnyCalls).map(([name, call]) => [
    name,
    async (...args: readonly unknown[]) => structuredClone(await call(...structuredClone(args))),
  ]);
  const copied = Object.fromEntries(copying) as ListingCalls;
  return { changes: copied, reads: copied, database: file.connection, close };
}

/**
 * Opens a listing service's database on this thread. A write fails at once while another connection holds the lock: this thread
 * holds both.
 */
export const openImpatiently: OpenListing = async (file, { clock }) =>
  listingInProcess(openListingFile(file, 'create'), { clock, patienceMs: 0 });

const THREAD = join(import.meta.dirname, '../../src/listing/database/listing-thread.ts');

/** Opens a listing service's database on threads of its own: compiled, because that starts faster. */
export const openThreads: OpenListing = (file, options) =>
  openListingThreads(file, { ...options, start: compiledThread(THREAD) });
