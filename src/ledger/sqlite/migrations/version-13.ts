import type { Migration } from '../../../sqlite/migrate.ts';

/** Votes of services without an entry in `sites` that are paid when the service gets one. */
export const version13: Migration = {
  version: 13,
  sql: `
    -- The services that got an entry, until the votes that waited for it are decided again.
    CREATE TABLE listed_services (
      service   TEXT PRIMARY KEY,
      listed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- The votes that were decided again because of it, with what was decided when they came.
    CREATE TABLE listed_votes (
      id           INTEGER PRIMARY KEY, -- in the order in which they were decided again
      vote_id      INTEGER NOT NULL UNIQUE REFERENCES votes (id),
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      decided_at   INTEGER NOT NULL,
      taken_by     INTEGER REFERENCES votes (id), -- who had the shared window
      reasons      TEXT -- as of votes
    ) STRICT;
    CREATE INDEX listed_votes_of ON listed_votes (recipient_id);

    -- The last vote that was decided again before a reward started: later ones were not counted at its start.
    ALTER TABLE rewards ADD COLUMN after_listed INTEGER NOT NULL DEFAULT 0;
  `,
};
