import type { Migration } from '../../../sqlite/migrate.ts';

/** What other plugins owed to players when they were imported. */
export const version25: Migration = {
  version: 25,
  sql: `
    -- Each debt once: of several equal ones, the first has 1 in times, the second 2.
    CREATE TABLE imported_debts (
      source TEXT NOT NULL,
      digest TEXT NOT NULL, -- SHA-256 of the player and of what is owed
      times  INTEGER NOT NULL,
      PRIMARY KEY (source, digest, times)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE imported_grants (
      grant_id INTEGER PRIMARY KEY REFERENCES grants (id),
      source   TEXT NOT NULL
    ) STRICT;
  `,
};
