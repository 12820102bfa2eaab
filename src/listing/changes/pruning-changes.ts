import type { Database } from '../../platform/sqlite/open.ts';
import { type OldRows, PruningStore } from '../webhooks/pruning-store.ts';

/** Deleting what is too old. */
export const pruningChanges = (database: Database) => {
  const store = new PruningStore(database);
  return {
    /** Deletes rows that `PruningStore.old` found, except events that have changed since. */
    deleteOld(rows: OldRows, before: number): void {
      store.delete(rows, before);
    },
  };
};
