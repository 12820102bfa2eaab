import type { Migration } from '../../../sqlite/migrate.ts';

/** Tops: since when each is in a config, and the places of the periods that are over. */
export const version19: Migration = {
  version: 19,
  sql: `
    -- Since when a running config has contained a top for such periods: periods that ended before are not paid.
    CREATE TABLE top_starts (
      reward_id INTEGER NOT NULL, -- of rewards, which has the name
      per       TEXT NOT NULL,
      start_day INTEGER NOT NULL,
      PRIMARY KEY (reward_id, per)
    ) STRICT, WITHOUT ROWID;

    -- Rule 14: the places of each period are stored once.
    CREATE TABLE settled_tops (
      id         INTEGER PRIMARY KEY,
      reward_id  INTEGER NOT NULL,
      per        TEXT NOT NULL,
      period     INTEGER NOT NULL,
      settled_at INTEGER NOT NULL,
      last_vote  INTEGER NOT NULL, -- the last vote that was recorded then
      UNIQUE (reward_id, per, period)
    ) STRICT;

    -- The cause 'top' of grants.
    CREATE TABLE top_places (
      id           INTEGER PRIMARY KEY,
      top_id       INTEGER NOT NULL REFERENCES settled_tops (id),
      place        INTEGER NOT NULL,
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      player       TEXT,
      votes        INTEGER NOT NULL,
      reached_at   INTEGER NOT NULL -- the cast time of the latest of the votes
    ) STRICT;
    CREATE INDEX top_places_in ON top_places (top_id, place);
    CREATE INDEX top_places_of ON top_places (recipient_id);
  `,
};
