import type { Migration } from '../../../sqlite/migrate.ts';

export const version4: Migration = {
  version: 4,
  sql: `
    -- The player's name as the site sent it, where it is spelt another way in player.
    ALTER TABLE votes ADD COLUMN sent_as TEXT;

    -- Who is probably the player that a waiting grant's vote names: someone seen on the game server.
    ALTER TABLE grants ADD COLUMN likely_player TEXT;

    -- What {uuid} stood for in the commands that were sent.
    ALTER TABLE grants ADD COLUMN uuid TEXT;

    -- Grants that the operator has paid to another player than the one that their vote names.
    CREATE TABLE redirected_grants (
      grant_id      INTEGER PRIMARY KEY REFERENCES grants (id),
      recipient_id  INTEGER NOT NULL REFERENCES recipients (id), -- who is paid
      redirected_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX redirected_to ON redirected_grants (recipient_id);

    -- Votes that were counted and not rewarded, and that the operator has rewarded after all.
    CREATE TABLE rewarded_by_operator (
      vote_id     INTEGER PRIMARY KEY REFERENCES votes (id),
      rewarded_at INTEGER NOT NULL,
      rolls       TEXT
    ) STRICT;

    -- How many commands have ever been claimed: a ledger that knows of fewer than its mark has lost its newest part.
    CREATE TABLE claim_count (claims INTEGER NOT NULL) STRICT;
    INSERT INTO claim_count VALUES (0);

    -- How the queue of each game server stands in the process that delivers, for the commands of others to say.
    CREATE TABLE queues (
      server TEXT PRIMARY KEY,
      reason TEXT,             -- why it pauses; NULL: the game server takes commands
      since  INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- A user ID never joins a game server, so these waited for ever; refused, the operator can pay them.
    UPDATE grants SET state = 'refused' WHERE state = 'waiting' AND player IS NULL;

    -- What is known of this machine's clock: one row.
    CREATE TABLE clock (
      era           INTEGER NOT NULL, -- grows whenever the reference is set anew
      newest_at     INTEGER,          -- the newest receipt, by the time that was believed
      doubt         INTEGER REFERENCES clock_doubts (id), -- the present one; null while the clock is believed
      offsets_after INTEGER NOT NULL  -- votes up to this one say nothing about what is normal for their sites
    ) STRICT;
    CREATE TABLE clock_doubts (
      id         INTEGER PRIMARY KEY,
      reason     TEXT NOT NULL,
      shown_at   INTEGER NOT NULL, -- what the clock showed when the doubt began
      ahead_ms   INTEGER NOT NULL, -- how far that was ahead of what was believed
      first_vote INTEGER NOT NULL, -- the votes that came meanwhile
      last_vote  INTEGER,
      ended_by   TEXT CHECK (ended_by IN ('corrected', 'confirmed', 'released'))
    ) STRICT;
    INSERT INTO clock VALUES (0, NULL, NULL, 0);

    -- Unlisted names that have figures of their own: anyone with the public key can invent names, so they are bounded.
    CREATE TABLE unlisted_services (
      service TEXT PRIMARY KEY,
      last_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX unlisted_services_by_age ON unlisted_services (last_at);
    INSERT INTO unlisted_services
      SELECT service, max(last_at) FROM tallies WHERE site = 'default'
      GROUP BY service ORDER BY max(last_at) DESC LIMIT 1000;
    INSERT INTO tallies (service, site, day, decision, votes, last_at)
      SELECT ' others', site, day, decision, sum(votes), max(last_at) FROM tallies
      WHERE site = 'default' AND service NOT IN (SELECT service FROM unlisted_services)
      GROUP BY site, day, decision;
    DELETE FROM tallies
      WHERE site = 'default' AND service <> ' others' AND service NOT IN (SELECT service FROM unlisted_services);

    -- Which rewards were ever granted on which game servers: a search for others need not read every grant. Two
    -- indexes on grants would do the same and cost each vote 4 to 5 microseconds; this costs one lookup in a tiny table.
    CREATE TABLE granted (
      reward TEXT NOT NULL,
      server TEXT NOT NULL,
      PRIMARY KEY (reward, server)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO granted SELECT DISTINCT reward, server FROM grants;
  `,
};
