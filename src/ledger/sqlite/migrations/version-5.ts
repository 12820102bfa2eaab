import { localDay } from '../../../core/local-time.ts';
import { systemZone } from '../../../runtime/zone.ts';
import type { Migration } from '../../../sqlite/migrate.ts';

/** Codes that notes and replies contained before there was a column for them. */
const CODES = [
  'unreachable',
  'host-unknown',
  'login-timeout',
  'wrong-password',
  'closed-at-login',
  'closed-after-login',
  'not-rcon',
  'list-unanswered',
  'between-connections',
  'http-unreachable',
  'http-host-unknown',
  'http-tls-failed',
  'http-not-let-in',
  'http-busy',
  'shut-down',
  'command-too-long',
  'command-not-one-line',
  'timeout',
  'no-frame',
  'closed',
  'bad-reply',
  'login-lost',
  'http-bad-reply',
  'http-server-fault',
  'http-redirect',
  'list-not-understood',
  'list-does-not-add-up',
  'uuid-unknown',
  'http-tells-nobody',
]
  .map((code) => `'${code}'`)
  .join(', ');

const BY_OPERATOR = 'to be paid by the operator’s word';
const DROPPED = `${BY_OPERATOR}; dropped, because the reward no longer has them: `;
const RAN = 'counted as run by the operator’s word';
const RAN_UNTIL_THEN = `${RAN}; until then: `;
/** The rest of a reply after this prefix. */
const UNTIL_THEN = `substr(reply, ${RAN_UNTIL_THEN.length + 1})`;
const ENDED = 'Teller ended before an answer came';

/** Read once, because it takes longer than the rest of a row. */
const ZONE = systemZone();

/** Copies votes and grants once, so that later versions need only add columns, tables and indexes. */
export const version5: Migration = {
  version: 5,
  functions: { local_day: (at) => localDay(at, ZONE) },
  sql: `
    -- Players by their UUIDs, once these are known. A recipient is a name, which a player may give up.
    CREATE TABLE players (
      id             INTEGER PRIMARY KEY,
      online_uuid    TEXT UNIQUE,
      floodgate_uuid TEXT UNIQUE,
      first_seen_at  INTEGER NOT NULL
    ) STRICT;

    CREATE TABLE new_recipients (
      id          INTEGER PRIMARY KEY,
      kind        TEXT NOT NULL CHECK (kind IN ('player', 'user')),
      key         TEXT NOT NULL,
      player_id   INTEGER REFERENCES players (id),
      given_up_at INTEGER NOT NULL DEFAULT 0, -- 0: in use; later the name may belong to another player
      UNIQUE (kind, key, given_up_at)
    ) STRICT;
    INSERT INTO new_recipients (id, kind, key) SELECT id, kind, key FROM recipients;
    DROP TABLE recipients;
    ALTER TABLE new_recipients RENAME TO recipients;

    CREATE TABLE new_votes (
      id           INTEGER PRIMARY KEY,
      service      TEXT NOT NULL,
      site         TEXT NOT NULL,
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      player       TEXT,
      sent_as      TEXT, -- the player's name as the site sent it, where it is spelt another way
      cast_at      INTEGER NOT NULL,
      claimed_at   INTEGER,
      received_at  INTEGER NOT NULL,
      local_day    INTEGER NOT NULL, -- days from 1970-01-01 to the local date of cast_at
      channel      TEXT NOT NULL,
      address      TEXT,
      event_id     TEXT,
      block_digest BLOB,
      decision     TEXT NOT NULL,
      window_start INTEGER, -- the window that the vote took; of a vote that took none, the one that it would have taken
      window_end   INTEGER, -- not part of it
      taken_by     INTEGER REFERENCES votes (id),
      reasons      TEXT, -- JSON: reward -> { code, facts }; NULL where no reward was looked at
      wire         TEXT NOT NULL,
      repeats      INTEGER NOT NULL DEFAULT 0,
      repeated_at  INTEGER,
      CHECK (decision <> 'rewarded' OR (window_start <= window_end) IS TRUE)
    ) STRICT;
    -- A window ends where the next one of the same recipient and site begins.
    INSERT INTO new_votes
      SELECT id, service, site, recipient_id, player, sent_as, cast_at, claimed_at, received_at, local_day(cast_at), channel, address,
             event_id, block_digest, decision, cast_at,
             min(cast_at + cooldown_ms, CASE decision WHEN 'rewarded' THEN ifnull((
               SELECT n.cast_at FROM votes n
               WHERE n.decision = 'rewarded' AND n.recipient_id = v.recipient_id AND n.site = v.site
                 AND n.cast_at >= v.cast_at AND (n.cast_at > v.cast_at OR n.id > v.id)
               ORDER BY n.cast_at LIMIT 1), 9e18) ELSE 9e18 END),
             taken_by, ${reasonsOf('rolls')}, wire, repeats, repeated_at
      FROM votes v ORDER BY id;
    DROP TABLE votes;
    ALTER TABLE new_votes RENAME TO votes;

    -- Rule 2, the same vote again.
    CREATE UNIQUE INDEX votes_by_event ON votes (service, event_id) WHERE event_id IS NOT NULL;
    CREATE UNIQUE INDEX votes_by_block ON votes (block_digest) WHERE block_digest IS NOT NULL;
    -- With the service: 20,000 votes for one player in one second, each of another service, took 15 s without.
    CREATE INDEX votes_by_claim ON votes (recipient_id, claimed_at / 1000, service);

    -- Rule 3: windows do not overlap. So only the last one that begins before the end of a new one can reach into it,
    -- however long the history is.
    CREATE INDEX votes_rewarded ON votes (recipient_id, site, window_start) WHERE decision = 'rewarded';
    CREATE TRIGGER votes_one_in_window BEFORE INSERT ON votes WHEN NEW.decision = 'rewarded'
    BEGIN
      SELECT RAISE(ABORT, 'this window is taken') WHERE NEW.window_start < (
        SELECT window_end FROM votes
        WHERE decision = 'rewarded' AND recipient_id = NEW.recipient_id AND site = NEW.site
          AND window_start < NEW.window_end
        ORDER BY window_start DESC LIMIT 1);
    END;

    -- What operators look for, newest first: each filter is a search, however many votes there are.
    CREATE INDEX votes_by_service ON votes (service);
    CREATE INDEX votes_by_entry ON votes (site) WHERE site <> service;
    CREATE INDEX votes_by_decision ON votes (decision);
    CREATE TRIGGER votes_by_hour AFTER INSERT ON votes
    BEGIN
      INSERT INTO vote_hours VALUES (NEW.received_at / 3600000, NEW.id) ON CONFLICT DO NOTHING;
    END;

    CREATE TABLE new_grants (
      id                INTEGER PRIMARY KEY,
      cause             TEXT NOT NULL, -- 'vote'; what cause_id is the ID of
      cause_id          INTEGER NOT NULL,
      vote_id           INTEGER GENERATED ALWAYS AS (CASE cause WHEN 'vote' THEN cause_id END) VIRTUAL
                        REFERENCES votes (id),
      recipient_id      INTEGER NOT NULL REFERENCES recipients (id),
      player            TEXT, -- the spelling that commands use
      reward            TEXT NOT NULL,
      occasion          TEXT NOT NULL DEFAULT '', -- rule 14; '': none
      server            TEXT NOT NULL,
      practice          INTEGER NOT NULL CHECK (practice IN (0, 1)),
      run_when          TEXT NOT NULL,
      safe_to_run_twice INTEGER NOT NULL CHECK (safe_to_run_twice IN (0, 1)),
      state             TEXT NOT NULL
                        CHECK (state IN ('pending', 'waiting', 'held', 'refused', 'delivered', 'cancelled')),
      reason            TEXT, -- a code: why it is in this state, where the state alone does not say
      facts             TEXT, -- JSON: what the code's sentence needs; NULL where it needs nothing
      due_at            INTEGER NOT NULL, -- not tried before; 0: at once
      created_at        INTEGER NOT NULL,
      changed_at        INTEGER NOT NULL,
      likely_player     TEXT, -- who is probably the player that a waiting grant names: someone seen on the game server
      uuid              TEXT, -- what {uuid} stood for in the commands that were sent
      UNIQUE (cause_id, cause, reward, occasion, server)
    ) STRICT;
    INSERT INTO new_grants (id, cause, cause_id, recipient_id, player, reward, server, practice, run_when,
                            safe_to_run_twice, state, reason, facts, due_at, created_at, changed_at, likely_player, uuid)
      SELECT id, 'vote', vote_id, recipient_id, player, reward, server, practice, run_when, safe_to_run_twice, state,
             reason,
             CASE
               WHEN reason = 'by-operator' AND note LIKE '${DROPPED}%'
                 THEN json_object('dropped', CAST(substr(note, ${DROPPED.length + 1}) AS INTEGER))
               WHEN reason IN ('refused', 'player-offline') AND note <> 'the player is not online'
                 THEN json_object('reply', note)
             END,
             due_at, created_at, changed_at, likely_player, uuid
      FROM (SELECT *, ${reasonOfNote('note')} AS reason FROM grants ORDER BY id);
    DROP TABLE grants;
    ALTER TABLE new_grants RENAME TO grants;
    CREATE INDEX grants_pending ON grants (server, practice, id) WHERE state = 'pending';
    CREATE INDEX grants_waiting ON grants (recipient_id, server, practice) WHERE state = 'waiting';
    CREATE INDEX grants_awaited ON grants (server, practice, recipient_id, player) WHERE state = 'waiting';
    -- What operators look for, likewise. Nearly all are delivered in the end; those are read from the newest on.
    CREATE INDEX grants_open ON grants (state) WHERE state <> 'delivered';

    -- Until now reply held either what the game server answered or why there was no answer.
    ALTER TABLE commands ADD COLUMN reason TEXT; -- a code: why there is no answer
    ALTER TABLE commands ADD COLUMN facts TEXT;  -- JSON, as for grants
    UPDATE commands SET reason = reply, reply = NULL
      WHERE outcome IS NOT 'delivered' AND outcome IS NOT 'player-offline' AND reply IN (${CODES});
    UPDATE commands SET reason = ${neverSentCode('reply')}, reply = NULL
      WHERE outcome = 'refused' AND ${neverSentCode('reply')} IS NOT NULL;
    UPDATE commands SET reason = 'process-ended', reply = NULL WHERE reply = '${ENDED}';
    UPDATE commands SET reason = 'ran-by-operator', reply = NULL WHERE outcome = 'delivered' AND reply = '${RAN}';
    UPDATE commands SET reason = 'ran-by-operator',
        facts = CASE WHEN ${codeOfNoReply(UNTIL_THEN)} IS NOT NULL
          THEN json_object('before', ${codeOfNoReply(UNTIL_THEN)}) END,
        reply = CASE WHEN ${codeOfNoReply(UNTIL_THEN)} IS NULL THEN ${UNTIL_THEN} END
      WHERE outcome = 'delivered' AND reply LIKE '${RAN_UNTIL_THEN}%';

    CREATE TABLE new_rewarded_by_operator (
      vote_id     INTEGER PRIMARY KEY REFERENCES votes (id),
      rewarded_at INTEGER NOT NULL,
      reasons     TEXT -- as of votes
    ) STRICT;
    INSERT INTO new_rewarded_by_operator SELECT vote_id, rewarded_at, ${reasonsOf('rolls')} FROM rewarded_by_operator;
    DROP TABLE rewarded_by_operator;
    ALTER TABLE new_rewarded_by_operator RENAME TO rewarded_by_operator;
  `,
};

/** The numbers drawn, as the reason of each reward that had a draw. */
function reasonsOf(rolls: string): string {
  return `CASE WHEN ${rolls} IS NOT NULL THEN (
    SELECT json_group_object(value ->> 'reward', json_object(
      'code', CASE WHEN value ->> 'rolled' < value ->> 'chance' THEN 'granted' ELSE 'chance' END,
      'facts', json_object('chance', value -> 'chance', 'rolled', value -> 'rolled')))
    FROM json_each(${rolls})) END`;
}

/** The code at the end of a note or reply if Teller itself refused to send the command; NULL for anything else. */
function neverSentCode(text: string): string {
  return `CASE
    WHEN ${text} LIKE '(never sent: %) [command-too-long]' THEN 'command-too-long'
    WHEN ${text} LIKE '(never sent: %) [command-not-one-line]' THEN 'command-not-one-line' END`;
}

/** Why a command had no reply; NULL for a reply. */
function codeOfNoReply(text: string): string {
  return `CASE
    WHEN ${text} = '${ENDED}' THEN 'process-ended'
    WHEN ${text} IN (${CODES}) THEN ${text}
    ELSE ${neverSentCode(text)} END`;
}

/** Any other note is the game server's answer. */
function reasonOfNote(note: string): string {
  return `CASE
    WHEN ${note} IS NULL THEN NULL
    WHEN ${note} IN (${CODES}) THEN ${note}
    WHEN ${neverSentCode(note)} IS NOT NULL THEN ${neverSentCode(note)}
    WHEN ${note} = 'may have been paid before the restore' THEN 'restore-doubt'
    WHEN ${note} = 'the clock was doubtful when the vote came' THEN 'clock-doubt'
    WHEN ${note} = 'Teller ended while the command was being sent' THEN 'process-ended'
    WHEN ${note} LIKE '${BY_OPERATOR}%' THEN 'by-operator'
    WHEN ${note} = 'a command of it was ${RAN}' THEN 'ran-by-operator'
    WHEN ${note} = 'marked as paid by the operator' THEN 'marked-paid'
    WHEN ${note} = 'cancelled by the operator' THEN 'cancelled-by-operator'
    WHEN ${note} LIKE 'the game server % is another one now, or gone from the config' THEN 'other-game-server'
    WHEN ${note} LIKE 'cannot tell who is online: its player list announces%' THEN 'list-does-not-add-up'
    WHEN ${note} LIKE 'cannot tell who is online: its player list shows no UUIDs%' THEN 'uuid-unknown'
    WHEN ${note} LIKE 'cannot tell who is online: a game server of kind http%' THEN 'http-tells-nobody'
    WHEN ${note} LIKE 'cannot tell who is online: %' THEN 'list-not-understood'
    WHEN ${note} = 'the player is not online' THEN 'player-offline'
    WHEN state = 'refused' THEN 'refused'
    ELSE 'player-offline' END`;
}
