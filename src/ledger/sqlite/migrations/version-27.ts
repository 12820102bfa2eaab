import type { Migration } from '../../../sqlite/migrate.ts';

/** Who changed grants by hand. Of changes before this version, only the result is known. */
export const version27: Migration = {
  version: 27,
  sql: `
    CREATE TABLE grant_actions (
      id       INTEGER PRIMARY KEY,
      grant_id INTEGER NOT NULL REFERENCES grants (id),
      action   TEXT NOT NULL CHECK (action IN ('pay', 'redirect', 'ran', 'mark-paid', 'cancel')),
      acted_at INTEGER NOT NULL,
      acted_by TEXT NOT NULL
    ) STRICT;
    CREATE INDEX grant_actions_of ON grant_actions (grant_id);
    -- What needs the operator, by the time since when, with all that it is grouped by.
    CREATE INDEX grants_stuck ON grants (changed_at, id, server, state, reason) WHERE state IN ('held', 'refused');
  `,
};
