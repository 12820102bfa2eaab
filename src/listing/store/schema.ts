import type { Schema } from '../../db/sqlite.ts';

/** `LIST` */
const APPLICATION_ID = 0x4c495354;

export const listingSchema: Schema = {
  applicationId: APPLICATION_ID,
  version: 6,
  sql: `
    -- Times are milliseconds since the Unix epoch, UTC.

    CREATE TABLE accounts (
      id            TEXT PRIMARY KEY,
      name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
      user_id       TEXT NOT NULL UNIQUE, -- the chat-platform id that the account votes with
      password_hash TEXT NOT NULL,        -- scrypt, with its salt and cost
      created_at    INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE sessions (
      hash       BLOB PRIMARY KEY, -- SHA-256 of the cookie
      account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      csrf       TEXT NOT NULL,
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE listings (
      id         TEXT PRIMARY KEY,
      name       TEXT NOT NULL,
      type       TEXT NOT NULL CHECK (type IN ('bot', 'game')),
      game       TEXT CHECK (game IN ('minecraft', 'fivem', 'roblox', 'hytale')),
      weight     REAL NOT NULL CHECK (weight > 0), -- of its votes in the ranking; more than 1 for premium listings
      created_at INTEGER NOT NULL,
      removed_at INTEGER,
      CHECK ((type = 'game') = (game IS NOT NULL))
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE members (
      listing_id TEXT NOT NULL REFERENCES listings (id),
      account_id TEXT NOT NULL REFERENCES accounts (id),
      role       TEXT NOT NULL CHECK (role IN ('owner', 'manager')),
      PRIMARY KEY (listing_id, account_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX members_by_account ON members (account_id);

    CREATE TABLE invitations (
      hash       BLOB PRIMARY KEY, -- SHA-256 of the code in the link
      listing_id TEXT NOT NULL REFERENCES listings (id),
      expires_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE tokens (
      id           TEXT PRIMARY KEY,
      listing_id   TEXT NOT NULL REFERENCES listings (id),
      name         TEXT NOT NULL,
      hash         BLOB NOT NULL UNIQUE, -- SHA-256; the token itself is not stored
      scopes       TEXT NOT NULL,        -- JSON array
      created_at   INTEGER NOT NULL,
      last_used_at INTEGER,
      revoked_at   INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX tokens_by_listing ON tokens (listing_id);
    CREATE TRIGGER tokens_scopes_by_type BEFORE INSERT ON tokens
    BEGIN
      SELECT RAISE(ABORT, 'a game listing reports no statistics') WHERE
        (SELECT type FROM listings WHERE id = NEW.listing_id) = 'game'
        AND EXISTS (SELECT 1 FROM json_each(NEW.scopes) WHERE value = 'stats:write');
    END;

    -- Fixed windows, started by the first charged request. Stored by listing, not by token, so that neither rotating
    -- a token nor a restart resets them.
    CREATE TABLE budgets (
      listing_id TEXT NOT NULL REFERENCES listings (id),
      name       TEXT NOT NULL,
      opened_at  INTEGER NOT NULL,
      used       INTEGER NOT NULL,
      PRIMARY KEY (listing_id, name)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE bot_stats (
      listing_id   TEXT PRIMARY KEY REFERENCES listings (id),
      server_count INTEGER NOT NULL,
      shard_count  INTEGER,
      updated_at   INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE votes (
      id         TEXT PRIMARY KEY, -- UUIDv7, also the webhook's event id
      listing_id TEXT NOT NULL REFERENCES listings (id),
      user_id    TEXT NOT NULL,
      player     TEXT,             -- as entered; Minecraft listings only
      player_key TEXT,             -- the same in lower case: names compare without regard to case
      cast_at    INTEGER NOT NULL,
      next_at    INTEGER NOT NULL, -- when this user may vote again
      weight     REAL NOT NULL,
      CHECK ((player IS NULL) = (player_key IS NULL))
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX votes_by_time ON votes (listing_id, cast_at);
    CREATE INDEX votes_by_user ON votes (listing_id, user_id, cast_at);
    CREATE INDEX votes_by_player ON votes (listing_id, player_key, cast_at) WHERE player_key IS NOT NULL;
    CREATE TRIGGER votes_one_in_window BEFORE INSERT ON votes
    BEGIN
      SELECT RAISE(ABORT, 'a window is 12 h on bots and 24 h on games') WHERE
        NEW.next_at - NEW.cast_at IS NOT (
          SELECT CASE type WHEN 'bot' THEN 12 ELSE 24 END * 3600000 FROM listings WHERE id = NEW.listing_id);
      SELECT RAISE(ABORT, 'this window is taken') WHERE EXISTS (
        SELECT 1 FROM votes
        WHERE listing_id = NEW.listing_id AND user_id = NEW.user_id AND next_at > NEW.cast_at);
    END;

    -- Updated with each vote, so that pages and the API stay fast with millions of votes.
    CREATE TABLE vote_totals (
      listing_id TEXT PRIMARY KEY REFERENCES listings (id),
      votes      INTEGER NOT NULL,
      voters     INTEGER NOT NULL,
      last_at    INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE voters (
      listing_id TEXT NOT NULL REFERENCES listings (id),
      user_id    TEXT NOT NULL,
      votes      INTEGER NOT NULL,
      PRIMARY KEY (listing_id, user_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX voters_by_votes ON voters (listing_id, votes DESC, user_id);
    CREATE TABLE vote_days (
      listing_id TEXT NOT NULL REFERENCES listings (id),
      day        INTEGER NOT NULL, -- days since the epoch, UTC
      votes      INTEGER NOT NULL,
      PRIMARY KEY (listing_id, day)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE webhooks (
      listing_id  TEXT PRIMARY KEY REFERENCES listings (id),
      url         TEXT NOT NULL,
      secret      TEXT,
      is_active   INTEGER NOT NULL CHECK (is_active IN (0, 1)),
      failures    INTEGER NOT NULL DEFAULT 0, -- consecutive failed attempts
      disabled_at INTEGER,                    -- by the service, at 20 failures
      updated_at  INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- One for each vote on a listing with an active webhook, written in the vote's own transaction.
    CREATE TABLE events (
      id         TEXT PRIMARY KEY REFERENCES votes (id),
      listing_id TEXT NOT NULL REFERENCES listings (id),
      body       BLOB NOT NULL, -- built once; every attempt sends these bytes
      state      TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'undelivered')),
      attempts   INTEGER NOT NULL DEFAULT 0,
      due_at     INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      changed_at INTEGER NOT NULL,
      last       TEXT -- the latest outcome of an attempt
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX events_due ON events (due_at) WHERE state = 'pending';
    -- By webhook, so that queries for one need not skip what waits for another that is slow.
    CREATE INDEX events_due_by_listing ON events (listing_id, due_at) WHERE state = 'pending';
    CREATE INDEX events_by_listing ON events (listing_id, changed_at, state, last);
    CREATE INDEX events_undelivered ON events (listing_id, changed_at) WHERE state = 'undelivered';
    -- The delivery log has one row per event, in the order in which the votes were cast.
    CREATE INDEX events_by_cast ON events (listing_id, created_at);
    -- Few of millions of events are not delivered, and owners filter for these.
    CREATE INDEX events_open_by_cast ON events (listing_id, created_at) WHERE state <> 'delivered';

    CREATE TABLE deliveries (
      id          TEXT PRIMARY KEY, -- X-Service-Delivery
      listing_id  TEXT NOT NULL REFERENCES listings (id),
      event_id    TEXT REFERENCES events (id), -- null for tests
      kind        TEXT NOT NULL CHECK (kind IN ('vote', 'redelivery', 'test')),
      attempt     INTEGER NOT NULL,
      url         TEXT NOT NULL,
      headers     TEXT NOT NULL, -- JSON, without the signature
      started_at  INTEGER NOT NULL,
      duration_ms INTEGER,       -- null while in flight
      http_status INTEGER,
      outcome     TEXT CHECK (outcome IN ('delivered', 'retryable', 'permanent')),
      reason      TEXT, -- a code; null if there is an HTTP status
      facts       TEXT, -- JSON; null if the code has none
      response    TEXT  -- the first 1 KiB
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX deliveries_by_listing ON deliveries (listing_id, started_at);
    CREATE INDEX deliveries_by_event ON deliveries (event_id) WHERE event_id IS NOT NULL;
    CREATE INDEX deliveries_under_way ON deliveries (event_id) WHERE outcome IS NULL AND reason IS NULL;
    CREATE INDEX deliveries_without_event ON deliveries (listing_id, started_at) WHERE event_id IS NULL;

    CREATE TABLE listener_settings (
      listing_id TEXT PRIMARY KEY REFERENCES listings (id),
      host       TEXT NOT NULL,
      port       INTEGER NOT NULL,
      method     TEXT NOT NULL CHECK (method IN ('token', 'public-key')),
      credential TEXT NOT NULL, -- the token, or the public key as pasted
      updated_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    -- At most once: a vote is marked before it is sent, so that it is not sent again if the process dies meanwhile.
    CREATE TABLE listener_sends (
      id         TEXT PRIMARY KEY, -- the vote's ID, except for test votes
      listing_id TEXT NOT NULL REFERENCES listings (id),
      vote_id    TEXT UNIQUE REFERENCES votes (id), -- null for a test vote
      player     TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      outcome    TEXT CHECK (outcome IN ('accepted', 'sent', 'failed')), -- null while in flight, or cut off
      code       TEXT,
      facts      TEXT -- JSON; null if the code has none
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX listener_sends_by_listing ON listener_sends (listing_id, started_at);
    -- Few of millions of votes wait to be sent.
    CREATE INDEX listener_sends_open ON listener_sends (listing_id, started_at)
      WHERE outcome IS NULL AND vote_id IS NOT NULL;
  `,
};
