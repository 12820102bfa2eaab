import { join } from 'node:path';
import type { OpenListing } from '../../src/listing/database/listing-database.ts';
import { openListingThreads } from '../../src/listing/database/threaded.ts';
import { compiledThread } from './processes.ts';

const THREAD = join(import.meta.dirname, '../../src/listing/database/listing-thread.ts');

/** Opens a listing service's database on threads of its own: compiled, because that starts faster. */
export const openThreads: OpenListing = (file, options) =>
  openListingThreads(file, { ...options, start: compiledThread(THREAD) });
