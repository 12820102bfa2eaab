import type { Migration } from '../../../sqlite/migrate.ts';

/** Grants that are paid on the game server that their player is on. */
export const version14: Migration = {
  version: 14,
  sql: `
    -- As core/pool.ts. Until a game server takes the grant, grants.server is the same; NULL: its game server is fixed.
    ALTER TABLE grants ADD COLUMN pool TEXT;
    -- The pools that each game server is in.
    CREATE TABLE pools (
      server TEXT NOT NULL,
      pool   TEXT NOT NULL,
      PRIMARY KEY (server, pool)
    ) STRICT, WITHOUT ROWID;
  `,
};
