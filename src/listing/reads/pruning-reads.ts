import type { Database } from '../../platform/sqlite/open.ts';
import { PruningStore } from '../webhooks/pruning-store.ts';

/** What is too old to keep. */
export const pruningReads = (database: Database) => {
  const store = new PruningStore(database);
  return {
    oldRows: (before: number, limit: number) => store.old(before, limit),
  };
};
