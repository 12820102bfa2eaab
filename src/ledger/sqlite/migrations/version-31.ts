import type { Migration } from '../../../sqlite/migrate.ts';

/** Votes that are moved in portions after a doubt about the clock. */
export const version31: Migration = {
  version: 31,
  sql: `
    -- The votes of a doubt that has ended whose cast times are still to be moved.
    CREATE TABLE clock_moves (
      id        INTEGER PRIMARY KEY,
      next_vote INTEGER NOT NULL, -- all before this one are moved
      last_vote INTEGER NOT NULL,
      shift_ms  INTEGER NOT NULL
    ) STRICT;
    -- Of those, the ones that were moved out of turn, because their player voted again.
    CREATE TABLE moved_votes (vote_id INTEGER PRIMARY KEY) STRICT;
  `,
};
