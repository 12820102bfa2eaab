import type { Migration } from '../../../sqlite/migrate.ts';

/** What is only kept for a time, which the operator sets. */
export const version21: Migration = {
  version: 21,
  sql: `
    -- Up to which vote it was removed.
    CREATE TABLE removed_up_to (
      what    TEXT PRIMARY KEY CHECK (what IN ('addresses', 'wire')),
      vote_id INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO removed_up_to VALUES ('addresses', 0), ('wire', 0);
  `,
};
