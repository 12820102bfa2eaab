import type { Migration } from '../../../sqlite/migrate.ts';

export const version2: Migration = {
  version: 2,
  sql: `
    -- Sites whose missed votes are looked for in the listing's API.
    CREATE TABLE recoveries (
      site            TEXT PRIMARY KEY,
      met_at          INTEGER NOT NULL, -- when this ledger first met it; earlier votes were somebody else's to pay
      recovered_until INTEGER           -- every vote cast before is here
    ) STRICT, WITHOUT ROWID;

    -- Votes cast in one of these spans may have been paid by the ledger that was lost: their grants come in held.
    CREATE TABLE restores (
      backup_at   INTEGER NOT NULL,
      restored_at INTEGER NOT NULL
    ) STRICT;
  `,
};
