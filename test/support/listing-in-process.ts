import { join } from 'node:path';
import { type ListingCalls, listingKinds } from '../../src/listing/database/calls.ts';
import type { OpenListing, OpenListingDatabase } from '../../src/listing/database/listing-database.ts';
import { openListingThreads } from '../../src/listing/database/threaded.ts';
import { listingWork } from '../../src/listing/database/work.ts';
import { listingSchema } from '../../src/listing/store/schema.ts';
import { type InProcessParts, inProcess } from '../../src/platform/sqlite/in-process.ts';
import { type Database, openDatabase } from '../../src/platform/sqlite/open.ts';
import { compiledThread } from './processes.ts';

type AnyCalls = Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>;

/**
 * Runs all calls of a listing service's database on this thread, which starts faster than threads of its own. Arguments
 * and results are copied as between threads, so that a value which a thread could not get fails here too.
 */
function listingInProcess(database: Database, parts: Omit<InProcessParts, 'onNews'>): OpenListingDatabase {
  const { close, ...calls } = inProcess<ListingCalls>(listingWork(database), { ...parts, onNews: () => {} });
  const copying = Object.keys(listingKinds).map((name) => [
    name,
    async (...args: readonly unknown[]) =>
      structuredClone(await (calls as unknown as AnyCalls)[name]!(...structuredClone(args))),
  ]);
  const copied = Object.fromEntries(copying) as ListingCalls;
  return { changes: copied, reads: copied, database, close };
}

/**
 * Opens a listing service's database on this thread. A write fails at once while another connection holds the lock: this thread
 * holds both.
 */
export const openImpatiently: OpenListing = async (file, { clock }) =>
  listingInProcess(openDatabase(file, listingSchema, 'create'), { clock, patienceMs: 0 });

const THREAD = join(import.meta.dirname, '../../src/listing/database/listing-thread.ts');

/** Opens a listing service's database on threads of its own: compiled, because that starts faster. */
export const openThreads: OpenListing = (file, options) =>
  openListingThreads(file, { ...options, start: compiledThread(THREAD) });
