import type { Migration } from '../../../sqlite/migrate.ts';

const ofVote = "CASE NEW.decision WHEN 'rewarded' THEN 'vote.rewarded' ELSE 'vote.cooldown' END";
const ofGrant = "CASE NEW.state WHEN 'delivered' THEN 'grant.delivered' ELSE 'grant.held' END";
const isWanted = (kind: string): string => `EXISTS (SELECT 1 FROM event_wants WHERE kind = ${kind})`;

const storeGrantEvent = `
    BEGIN
      INSERT INTO events (kind, at, subject, facts)
      VALUES (${ofGrant}, NEW.changed_at, NEW.id, json_object('state', NEW.state, 'reason', NEW.reason));
    END`;

/**
 * What other programs are told. Triggers store it, so that it is in the transaction of what happened, whichever process
 * did it, and costs a look at an empty table where nobody wants to know.
 */
export const version30: Migration = {
  version: 30,
  sql: `
    CREATE TABLE event_wants (
      kind     TEXT NOT NULL,
      receiver TEXT NOT NULL, -- a digest of the receiver's URL, or who follows the events
      until    INTEGER, -- of a follower; NULL: each event is posted to the receiver
      PRIMARY KEY (kind, receiver)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE events (
      id         INTEGER PRIMARY KEY, -- the newest event is never removed, so none is used again
      event_id   BLOB NOT NULL DEFAULT (randomblob(16)),
      kind       TEXT NOT NULL,
      at         INTEGER NOT NULL,
      subject    INTEGER, -- the vote or the grant that it is about
      facts      TEXT, -- JSON: what neither of them says later
      unique_key TEXT UNIQUE -- of what could be stored twice
    ) STRICT;

    CREATE TABLE event_posts (
      receiver   TEXT NOT NULL,
      event      INTEGER NOT NULL REFERENCES events (id),
      state      TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'delivered', 'undelivered')),
      failures   INTEGER NOT NULL DEFAULT 0, -- attempts that have failed
      due_at     INTEGER NOT NULL,
      changed_at INTEGER NOT NULL,
      status     INTEGER, -- the HTTP status of the last attempt
      reason     TEXT, -- a code: why it has none, or why the last attempt failed
      PRIMARY KEY (receiver, event)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX event_posts_waiting ON event_posts (receiver, due_at, event) WHERE state = 'waiting';
    CREATE INDEX event_posts_of ON event_posts (event, state);

    CREATE TABLE event_receivers (
      receiver TEXT PRIMARY KEY,
      since    INTEGER NOT NULL,
      dropped  INTEGER NOT NULL DEFAULT 0, -- events that were never delivered and are not kept any more
      last_at  INTEGER, -- when its last attempt ended
      status   INTEGER,
      reason   TEXT
    ) STRICT, WITHOUT ROWID;

    CREATE TRIGGER events_posted AFTER INSERT ON events
    BEGIN
      INSERT INTO event_posts (receiver, event, state, due_at, changed_at)
      SELECT receiver, NEW.id, 'waiting', 0, NEW.at FROM event_wants WHERE kind = NEW.kind AND until IS NULL;
    END;

    CREATE TRIGGER events_of_votes AFTER INSERT ON votes
    WHEN NEW.decision IN ('rewarded', 'cooldown', 'unlisted') AND NEW.channel <> 'import' AND ${isWanted(ofVote)}
    BEGIN
      INSERT INTO events (kind, at, subject) VALUES (${ofVote}, NEW.received_at, NEW.id);
    END;

    CREATE TRIGGER events_of_grants AFTER UPDATE OF state ON grants
    WHEN NEW.state IN ('delivered', 'held', 'refused') AND OLD.state <> NEW.state AND ${isWanted(ofGrant)}${storeGrantEvent};

    CREATE TRIGGER events_of_new_grants AFTER INSERT ON grants
    WHEN NEW.state IN ('held', 'refused') AND ${isWanted(ofGrant)}${storeGrantEvent};

    CREATE TRIGGER events_of_parties AFTER INSERT ON reached_parties WHEN ${isWanted("'party'")}
    BEGIN
      INSERT INTO events (kind, at, subject, facts)
      SELECT 'party', NEW.reached_at, NEW.reached_by,
        json_object('party', name, 'number', NEW.number, 'votes', NEW.votes) FROM rewards WHERE id = NEW.reward_id;
    END;
  `,
};
