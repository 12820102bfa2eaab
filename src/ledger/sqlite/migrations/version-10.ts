import type { Migration } from '../../../sqlite/migrate.ts';

/** Votes that the operator has voided. They keep their rows, windows, grants and occasions. */
export const version10: Migration = {
  version: 10,
  sql: `
    -- A voided vote has 0 in votes.counts_anyway, so that the indexes which count votes leave it out.
    CREATE TABLE voided_votes (
      id           INTEGER PRIMARY KEY, -- in the order in which they were voided
      vote_id      INTEGER NOT NULL UNIQUE REFERENCES votes (id),
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      standing     TEXT, -- what it was to the player's history, as VoteStanding; NULL: nothing
      voided_at    INTEGER NOT NULL,
      voided_by    TEXT NOT NULL, -- the account on this machine
      reason       TEXT NOT NULL
    ) STRICT;
    CREATE INDEX voided_votes_of ON voided_votes (recipient_id);

    -- The last vote that was voided before a reward started: what was voided later still counts as reached before.
    ALTER TABLE rewards ADD COLUMN after_void INTEGER NOT NULL DEFAULT 0;
  `,
};
