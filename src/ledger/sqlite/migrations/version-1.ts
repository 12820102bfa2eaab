import type { Migration } from '../../../sqlite/migrate.ts';

export const version1: Migration = {
  version: 1,
  sql: `
    -- Times are milliseconds since the Unix epoch, UTC.

    CREATE TABLE recipients (
      id   INTEGER PRIMARY KEY,
      kind TEXT NOT NULL CHECK (kind IN ('player', 'user')),
      key  TEXT NOT NULL,
      UNIQUE (kind, key)
    ) STRICT;

    CREATE TABLE votes (
      id           INTEGER PRIMARY KEY,
      service      TEXT NOT NULL,
      site         TEXT NOT NULL,
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      player       TEXT,
      cast_at      INTEGER NOT NULL,
      claimed_at   INTEGER,
      received_at  INTEGER NOT NULL,
      channel      TEXT NOT NULL CHECK (channel IN ('listener-v1', 'listener-v2', 'webhook', 'api')),
      address      TEXT,
      event_id     TEXT,
      block_digest BLOB,
      decision     TEXT NOT NULL
                   CHECK (decision IN ('rewarded', 'cooldown', 'too-old', 'before-start', 'no-player')),
      cooldown_ms  INTEGER NOT NULL,
      next_at      INTEGER,
      taken_by     INTEGER REFERENCES votes (id),
      rolls        TEXT,
      wire         TEXT NOT NULL,
      repeats      INTEGER NOT NULL DEFAULT 0,
      repeated_at  INTEGER
    ) STRICT;

    -- Rule 2, the same vote again.
    CREATE UNIQUE INDEX votes_by_event ON votes (service, event_id) WHERE event_id IS NOT NULL;
    CREATE UNIQUE INDEX votes_by_block ON votes (block_digest) WHERE block_digest IS NOT NULL;
    -- With the service: 20,000 votes for one player in one second, each of another service, took 15 s without.
    CREATE INDEX votes_by_claim ON votes (recipient_id, claimed_at / 1000, service);

    -- Rule 3, once per recipient and window. decide() chooses; this makes it impossible to choose wrongly.
    CREATE INDEX votes_rewarded ON votes (recipient_id, site, cast_at) WHERE decision = 'rewarded';
    CREATE TRIGGER votes_one_in_window BEFORE INSERT ON votes WHEN NEW.decision = 'rewarded'
    BEGIN
      SELECT RAISE(ABORT, 'this window is taken') WHERE EXISTS (
        SELECT 1 FROM votes
        WHERE decision = 'rewarded' AND recipient_id = NEW.recipient_id AND site = NEW.site
          AND cast_at > NEW.cast_at - NEW.cooldown_ms AND cast_at < NEW.cast_at + NEW.cooldown_ms);
    END;

    -- What operators look for, newest first: each filter is a search, however many votes there are.
    CREATE INDEX votes_by_service ON votes (service);
    CREATE INDEX votes_by_entry ON votes (site) WHERE site <> service;
    CREATE INDEX votes_by_decision ON votes (decision);

    -- Where the votes since a time begin. An index on received_at would have to be sorted by id again; this bounds
    -- the ids, and holds when the clock was set back, too.
    CREATE TABLE vote_hours (
      hour       INTEGER PRIMARY KEY, -- hours since the epoch, of receipt
      first_vote INTEGER NOT NULL REFERENCES votes (id)
    ) STRICT;
    CREATE TRIGGER votes_by_hour AFTER INSERT ON votes
    BEGIN
      INSERT INTO vote_hours VALUES (NEW.received_at / 3600000, NEW.id) ON CONFLICT DO NOTHING;
    END;

    -- What 'teller sites' shows, summed as votes come in, so that it is as quick at ten million votes.
    CREATE TABLE tallies (
      service  TEXT NOT NULL,
      site     TEXT NOT NULL,
      day      INTEGER NOT NULL, -- days since the epoch, UTC, of receipt
      decision TEXT NOT NULL,
      votes    INTEGER NOT NULL,
      last_at  INTEGER NOT NULL,
      PRIMARY KEY (service, site, day, decision)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE grants (
      id                INTEGER PRIMARY KEY,
      vote_id           INTEGER NOT NULL REFERENCES votes (id),
      recipient_id      INTEGER NOT NULL REFERENCES recipients (id),
      player            TEXT, -- the spelling that commands use
      reward            TEXT NOT NULL,
      server            TEXT NOT NULL,
      practice          INTEGER NOT NULL CHECK (practice IN (0, 1)),
      run_when          TEXT NOT NULL CHECK (run_when IN ('online', 'always')),
      safe_to_run_twice INTEGER NOT NULL CHECK (safe_to_run_twice IN (0, 1)),
      state             TEXT NOT NULL
                        CHECK (state IN ('pending', 'waiting', 'held', 'refused', 'delivered', 'cancelled')),
      note              TEXT, -- why it is in this state, where the state alone does not say
      due_at            INTEGER NOT NULL, -- not tried before; 0: at once
      created_at        INTEGER NOT NULL,
      changed_at        INTEGER NOT NULL,
      UNIQUE (vote_id, reward, server)
    ) STRICT;
    CREATE INDEX grants_pending ON grants (server, practice, id) WHERE state = 'pending';
    CREATE INDEX grants_waiting ON grants (recipient_id, server, practice) WHERE state = 'waiting';
    CREATE INDEX grants_awaited ON grants (server, practice, recipient_id, player) WHERE state = 'waiting';
    -- What operators look for, likewise. Nearly all are delivered in the end; those are read from the newest on.
    CREATE INDEX grants_open ON grants (state) WHERE state <> 'delivered';

    CREATE TABLE commands (
      grant_id   INTEGER NOT NULL REFERENCES grants (id),
      position   INTEGER NOT NULL,
      text       TEXT NOT NULL, -- with {player} open
      outcome    TEXT CHECK (outcome IN
                 ('sending', 'delivered', 'refused', 'player-offline', 'not-sent', 'unknown')),
      attempts   INTEGER NOT NULL DEFAULT 0,
      reply      TEXT, -- what the game server answered, or why there is no answer
      started_at INTEGER,
      ended_at   INTEGER,
      PRIMARY KEY (grant_id, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX commands_sending ON commands (grant_id) WHERE outcome = 'sending';

    CREATE TABLE refusals (
      hour    INTEGER NOT NULL, -- hours since the epoch
      code    TEXT NOT NULL,
      service TEXT NOT NULL, -- as received, escaped and shortened; '' where none was read
      sender  TEXT NOT NULL,
      count   INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (hour, code, service, sender)
    ) STRICT, WITHOUT ROWID;
  `,
};
