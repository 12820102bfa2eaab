import type { Database } from '../../platform/sqlite/open.ts';
import { databaseProblem } from '../../platform/sqlite/problems.ts';
import type { DatabaseWork } from '../../platform/sqlite/work.ts';
import { allChanges } from '../changes/changes.ts';
import { allReads } from '../reads/reads.ts';
import { type ListingCalls, listingKinds } from './calls.ts';

/** The calls on an open database, which `close` closes. */
export const listingWork = (database: Database): DatabaseWork<ListingCalls> => ({
  database,
  kinds: listingKinds,
  calls: { ...allChanges(database), ...allReads(database) },
  asProblem: (error) => databaseProblem(error, 'listing service’s database'),
  close: () => database.close(),
});
