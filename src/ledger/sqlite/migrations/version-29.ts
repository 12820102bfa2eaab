import type { Migration } from '../../../sqlite/migrate.ts';

/** By which it can be found out whether a command ran, where the game server keeps marks. */
export const version29: Migration = {
  version: 29,
  sql: `
    ALTER TABLE commands ADD COLUMN proof TEXT; -- of its last attempt: JSON, as core/proof.ts; NULL: it left no mark
    -- The buckets of marks that are not removed yet.
    CREATE TABLE mark_buckets (
      server TEXT NOT NULL,
      bucket TEXT NOT NULL,
      PRIMARY KEY (server, bucket)
    ) STRICT, WITHOUT ROWID;
  `,
};
