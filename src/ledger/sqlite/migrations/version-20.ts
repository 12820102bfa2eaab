import type { Migration } from '../../../sqlite/migrate.ts';

/** Announcements, and the players for whom they are sent. */
export const version20: Migration = {
  version: 20,
  sql: `
    ALTER TABLE grants ADD COLUMN announcement TEXT; -- JSON, as AnnouncementTerms; NULL: it has none

    -- Players who were on a game server, by name in lower case. A practice server shows no real ones.
    CREATE TABLE seen_players (
      key      TEXT NOT NULL,
      practice INTEGER NOT NULL CHECK (practice IN (0, 1)),
      seen_at  INTEGER NOT NULL,
      PRIMARY KEY (key, practice)
    ) STRICT, WITHOUT ROWID;

    -- The announcements of rewards with atMost: those that were sent, and those that joined another one.
    CREATE TABLE announced (
      grant_id INTEGER PRIMARY KEY REFERENCES grants (id),
      reward   TEXT NOT NULL,
      server   TEXT NOT NULL,
      practice INTEGER NOT NULL CHECK (practice IN (0, 1)),
      player   TEXT NOT NULL,
      at       INTEGER NOT NULL,
      is_sent  INTEGER NOT NULL CHECK (is_sent IN (0, 1)),
      named_by INTEGER REFERENCES grants (id) -- the grant whose announcement names the player of one that joined
    ) STRICT;
    CREATE INDEX announced_sent ON announced (reward, server, practice, at) WHERE is_sent = 1;
    CREATE INDEX announced_joining ON announced (reward, server, practice) WHERE is_sent = 0 AND named_by IS NULL;
    CREATE INDEX announced_named ON announced (named_by) WHERE named_by IS NOT NULL;
  `,
};
