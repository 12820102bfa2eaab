import type { Migration } from '../../../sqlite/migrate.ts';

export const version3: Migration = {
  version: 3,
  sql: `
    -- What each game server was when this ledger was last delivered from: what is open is held where it changes.
    CREATE TABLE game_servers (
      name TEXT PRIMARY KEY,
      kind TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  `,
};
