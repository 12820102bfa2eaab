import type { Schema } from '../../platform/sqlite/open.ts';
import { systemZone } from '../../platform/zone.ts';

/** `TELL` */
const APPLICATION_ID = 0x54454c4c;

/** The window of a rewarded vote that shares windows with a new one, and overlaps with the new one's. */
const overlapping = (shared: string): string => `
  NEW.window_start < (
    SELECT window_end FROM votes
    WHERE decision = 'rewarded' AND recipient_id = NEW.recipient_id AND ${shared} AND cast_at < NEW.window_end
    ORDER BY cast_at DESC LIMIT 1)
  OR NEW.window_end > (
    SELECT window_start FROM votes
    WHERE decision = 'rewarded' AND recipient_id = NEW.recipient_id AND ${shared} AND cast_at >= NEW.window_end
    ORDER BY cast_at LIMIT 1)`;

const isWanted = (kind: string): string => `EXISTS (SELECT 1 FROM event_wants WHERE kind = ${kind})`;
const ofVote = "CASE NEW.decision WHEN 'rewarded' THEN 'vote.rewarded' ELSE 'vote.cooldown' END";
const ofGrant = "CASE NEW.state WHEN 'delivered' THEN 'grant.delivered' ELSE 'grant.held' END";
const storeGrantEvent = `
    BEGIN
      INSERT INTO events (kind, at, subject, facts)
      VALUES (${ofGrant}, NEW.changed_at, NEW.id, json_object('state', NEW.state, 'reason', NEW.reason));
    END`;

// Times are milliseconds since the Unix epoch, UTC. Days are those since 1970-01-01, of the time zone that is stored, unless
// it says otherwise. JSON is text.

const VOTES = `
    -- Every vote, in the order in which they came.
    CREATE TABLE votes (
      id             INTEGER PRIMARY KEY,
      service        TEXT NOT NULL, -- the service name that the vote has
      site           TEXT NOT NULL, -- the entry of sites in the config that it fell to
      recipient_id   INTEGER NOT NULL REFERENCES recipients (id),
      player         TEXT, -- the spelling of the vote; NULL: a user ID
      sent_as        TEXT, -- the player's name as the site sent it, where it is spelt another way
      cast_at        INTEGER NOT NULL,
      claimed_at     INTEGER, -- the time that the sender states
      received_at    INTEGER NOT NULL,
      local_day      INTEGER NOT NULL, -- of cast_at
      channel        TEXT NOT NULL,
      address        TEXT,
      event_id       TEXT, -- of a webhook or the API
      block_digest   BLOB, -- of the RSA block of version 1
      decision       TEXT NOT NULL,
      window_start   INTEGER, -- the window that the vote took; of a vote that took none, the one that it would have taken
      window_end     INTEGER, -- not part of it
      taken_by       INTEGER REFERENCES votes (id), -- the vote that had the window
      counts_anyway  INTEGER, -- 1: counted in totals, although it took no window; 0: voided
      paid_elsewhere INTEGER CHECK (paid_elsewhere = 1), -- 1: another listener pays it; NULL: paid here
      reasons        TEXT, -- JSON: [[id of reason_forms, …facts], …]; NULL where no reward was looked at
      repeats        INTEGER NOT NULL DEFAULT 0, -- how often the same vote came again
      repeated_at    INTEGER,
      wire           TEXT NOT NULL, -- as received; last, because it is long
      CHECK (decision <> 'rewarded' OR (window_start <= window_end) IS TRUE)
    ) STRICT;

    -- Rule 2, the same vote again. The time comes first, so that the entries of new votes are next to each other. With the
    -- service: 20,000 votes for one player in one second, each of another service, took 15 s without.
    CREATE UNIQUE INDEX votes_by_event ON votes (service, event_id) WHERE event_id IS NOT NULL;
    CREATE UNIQUE INDEX votes_by_block ON votes (block_digest) WHERE block_digest IS NOT NULL;
    CREATE INDEX votes_by_claim ON votes (claimed_at / 1000, recipient_id, service);

    -- Rule 3, once for each recipient and window: windows that are shared do not overlap, and each contains the cast time of its
    -- vote. So only the votes next to a new window can reach into it, however long the history is. decide() chooses; the
    -- trigger makes it impossible to choose wrongly.
    CREATE INDEX votes_rewarded ON votes (recipient_id, service, cast_at) WHERE decision = 'rewarded';
    CREATE INDEX votes_rewarded_unlisted ON votes (recipient_id, cast_at) WHERE decision = 'rewarded' AND site = 'default';
    CREATE TRIGGER votes_one_in_window BEFORE INSERT ON votes WHEN NEW.decision = 'rewarded'
    BEGIN
      SELECT RAISE(ABORT, 'this window is taken')
      WHERE ${overlapping('service = NEW.service')}
        OR (NEW.site = 'default' AND (${overlapping("site = 'default'")}));
    END;

    -- A recipient's votes are in votes_rewarded and here.
    CREATE INDEX votes_unrewarded ON votes (recipient_id, decision, service) WHERE decision <> 'rewarded';
    CREATE INDEX votes_counted_anyway ON votes (recipient_id, service, cast_at) WHERE counts_anyway = 1;
    -- What a recipient did on some days, without reading the votes.
    CREATE INDEX votes_by_day ON votes (recipient_id, local_day, service, cast_at, decision, counts_anyway);

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

    -- What reasons have in common, so that a vote stores only the rest.
    CREATE TABLE reason_forms (
      id   INTEGER PRIMARY KEY,
      form TEXT NOT NULL UNIQUE -- JSON: [reward, code, …names of facts]
    ) STRICT;

    -- In which days begin, so that a vote that gets another cast time is moved to the right day: one row.
    CREATE TABLE time_zone (zone TEXT NOT NULL) STRICT;
    INSERT INTO time_zone VALUES (system_zone());

    -- What 'teller sites' shows, summed as votes come in, so that it is as quick at ten million votes.
    CREATE TABLE tallies (
      service  TEXT NOT NULL,
      site     TEXT NOT NULL,
      day      INTEGER NOT NULL, -- UTC, of receipt
      decision TEXT NOT NULL,
      votes    INTEGER NOT NULL,
      last_at  INTEGER NOT NULL,
      PRIMARY KEY (service, site, day, decision)
    ) STRICT, WITHOUT ROWID;
    -- Unlisted names that have figures of their own: anyone with the public key can invent names, so they are bounded.
    CREATE TABLE unlisted_services (
      service TEXT PRIMARY KEY,
      last_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX unlisted_services_by_age ON unlisted_services (last_at);

    CREATE TABLE refusals (
      hour    INTEGER NOT NULL, -- hours since the epoch
      code    TEXT NOT NULL,
      service TEXT NOT NULL, -- as received, escaped and shortened; '' where none was read
      sender  TEXT NOT NULL,
      count   INTEGER NOT NULL,
      last_at INTEGER NOT NULL,
      PRIMARY KEY (hour, code, service, sender)
    ) STRICT, WITHOUT ROWID;

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

    -- Votes that were counted and not rewarded, and that the operator has rewarded after all.
    CREATE TABLE rewarded_by_operator (
      vote_id     INTEGER PRIMARY KEY REFERENCES votes (id),
      rewarded_at INTEGER NOT NULL,
      reasons     TEXT -- as of votes
    ) STRICT;
    -- Votes that the operator has voided. They keep their rows, windows, grants and occasions, and have 0 in counts_anyway, so that
    -- the indexes which count votes leave them out.
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
    -- Rule 9: practice ended when a config with a real game server first ran. At most one row.
    CREATE TABLE practice_ended (
      last_vote INTEGER NOT NULL, -- the last vote before
      voided_at INTEGER -- when the votes from this machine up to it were voided; NULL: not yet
    ) STRICT;
`;

const PLAYERS = `
    -- Names, and user IDs. A name's row either has a history of its own or points to the row that has it. A count and the latest
    -- days are beside the name, so that a vote changes one page for both.
    CREATE TABLE recipients (
      id            INTEGER PRIMARY KEY,
      kind          TEXT NOT NULL CHECK (kind IN ('player', 'user')),
      key           TEXT NOT NULL, -- a name in lower case
      given_up_at   INTEGER NOT NULL DEFAULT 0, -- 0: in use; later the name may belong to another player
      player_id     INTEGER REFERENCES players (id),
      joined_to     INTEGER REFERENCES recipients (id), -- the row with the history; NULL: this one. Never a row that is itself joined
      -- Of a row with a history: the name that grants are paid to, if it is not the row's own; '': none, because the name
      -- belongs to another player and the UUID was not seen since.
      paid_as       TEXT,
      seen_at       INTEGER, -- when a game server last told us who has the name
      apart_from    INTEGER REFERENCES recipients (id), -- the history that the operator has split it from: not joined again
      counted       INTEGER NOT NULL DEFAULT 0,
      run_from      INTEGER, -- the latest of the runs of consecutive days with a vote, whether the votes were counted or not
      run_to        INTEGER,
      services      TEXT, -- the services voted on by the player on run_to, each between line breaks; NULL: read the votes
      balance_until INTEGER, -- of a row with a history: the last day of the latest period of its balances; NULL: it has none
      UNIQUE (kind, key, given_up_at)
    ) STRICT;
    CREATE INDEX recipients_joined ON recipients (joined_to) WHERE joined_to IS NOT NULL;
    CREATE INDEX recipients_of_player ON recipients (player_id) WHERE player_id IS NOT NULL;

    -- Players by their UUIDs, once these are known.
    CREATE TABLE players (
      id             INTEGER PRIMARY KEY,
      online_uuid    TEXT UNIQUE,
      floodgate_uuid TEXT UNIQUE
    ) STRICT;

    -- The runs of days with a vote before the latest.
    CREATE TABLE voted_runs (
      recipient_id INTEGER NOT NULL,
      first_day    INTEGER NOT NULL,
      last_day     INTEGER NOT NULL,
      PRIMARY KEY (recipient_id, first_day)
    ) STRICT, WITHOUT ROWID;
    -- Counted votes of all recipients: 'total', or 'site ' and the service.
    CREATE TABLE network_counts (
      of      TEXT PRIMARY KEY,
      counted INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE player_changes (
      id         INTEGER PRIMARY KEY,
      kind       TEXT NOT NULL, -- as PlayerChangeKind
      name_id    INTEGER NOT NULL REFERENCES recipients (id), -- the row of the name
      history_id INTEGER NOT NULL REFERENCES recipients (id), -- the row of the history that it joined or left
      changed_at INTEGER NOT NULL,
      changed_by TEXT NOT NULL, -- the game server that showed it, or the account on this machine
      undone_by  INTEGER REFERENCES player_changes (id)
    ) STRICT;
    CREATE INDEX player_changes_of ON player_changes (history_id);
    CREATE INDEX player_changes_on ON player_changes (name_id);
    -- What was reached by joining names: taken, but not paid.
    CREATE TABLE passed_occasions (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      occasion     TEXT NOT NULL,
      change_id    INTEGER NOT NULL REFERENCES player_changes (id),
      given_id     INTEGER REFERENCES given_rewards (id), -- the operator gave it
      PRIMARY KEY (reward_id, recipient_id, occasion)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX passed_occasions_of ON passed_occasions (recipient_id);
    -- As passed_occasions, for many totals of one kind: each step from the first to the last. One that the operator gives
    -- is in passed_occasions as well.
    CREATE TABLE passed_totals (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      of           TEXT NOT NULL, -- the names of the occasions without their numbers, such as 'total'
      first        INTEGER NOT NULL,
      last         INTEGER NOT NULL,
      step         INTEGER NOT NULL,
      change_id    INTEGER NOT NULL REFERENCES player_changes (id),
      passed_by    INTEGER NOT NULL REFERENCES recipients (id), -- whose it is again after a split
      PRIMARY KEY (reward_id, recipient_id, of, change_id, first, step)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX passed_totals_of ON passed_totals (recipient_id);
    -- What a split gives back, beside what follows the votes.
    CREATE TABLE joined_occasions (
      change_id INTEGER NOT NULL REFERENCES player_changes (id),
      reward_id INTEGER NOT NULL REFERENCES rewards (id),
      occasion  TEXT NOT NULL,
      PRIMARY KEY (change_id, reward_id, occasion)
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE joined_streaks (
      change_id INTEGER NOT NULL REFERENCES player_changes (id),
      reward_id INTEGER NOT NULL REFERENCES rewards (id),
      per       TEXT NOT NULL,
      length    INTEGER NOT NULL,
      period    INTEGER NOT NULL,
      is_passed INTEGER NOT NULL CHECK (is_passed IN (0, 1)), -- 1: reached by joining; 0: moved
      PRIMARY KEY (change_id, reward_id, per, length, period)
    ) STRICT, WITHOUT ROWID;

    -- Players who were on a game server, by name in lower case. A practice server shows no real ones.
    CREATE TABLE seen_players (
      key      TEXT NOT NULL,
      practice INTEGER NOT NULL CHECK (practice IN (0, 1)),
      seen_at  INTEGER NOT NULL,
      PRIMARY KEY (key, practice)
    ) STRICT, WITHOUT ROWID;
`;

const REWARDS = `
    -- Rewards, parties and tops, and since when each counts: rewards for totals and streaks that were reached earlier are not paid.
    CREATE TABLE rewards (
      id           INTEGER PRIMARY KEY,
      name         TEXT NOT NULL UNIQUE,
      start_day    INTEGER NOT NULL, -- on which a running config first contained the name
      after_vote   INTEGER NOT NULL, -- the last vote that was recorded before
      after_void   INTEGER NOT NULL DEFAULT 0, -- the last that was voided before: what was voided later still counts as reached
      after_listed INTEGER NOT NULL DEFAULT 0, -- the last that was decided again before: later ones were not counted then
      is_limited   INTEGER NOT NULL DEFAULT 0 CHECK (is_limited IN (0, 1)) -- 1: granted_votes has its votes
    ) STRICT;
    -- The names of each, because the old name of a renamed one may be that of a new one.
    CREATE TABLE reward_names (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      name         TEXT NOT NULL,
      after_vote   INTEGER NOT NULL, -- the last vote that was recorded before it had the name
      up_to_vote   INTEGER, -- the last one while it had it; NULL: it still has it
      after_listed INTEGER NOT NULL DEFAULT 0, -- as after_vote and up_to_vote, for votes that were decided again: of listed_votes
      up_to_listed INTEGER,
      carried_from INTEGER, -- where several entries were made one: the ID of the one that had the name; NULL: this one
      PRIMARY KEY (reward_id, name, after_vote)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reward_names_of ON reward_names (name, up_to_vote);

    -- Rule 14: what each reward was granted for, or lost.
    CREATE TABLE occasions (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL, -- 0: accepted once in all, whoever the recipient is
      occasion     TEXT NOT NULL,
      vote_id      INTEGER REFERENCES votes (id), -- NULL: the operator gave the reward
      PRIMARY KEY (reward_id, recipient_id, occasion)
    ) STRICT, WITHOUT ROWID;
    -- The streaks among them, each with the period in which it was reached.
    CREATE TABLE reached_streaks (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL,
      per          TEXT NOT NULL,
      length       INTEGER NOT NULL,
      period       INTEGER NOT NULL,
      PRIMARY KEY (reward_id, recipient_id, per, length, period)
    ) STRICT, WITHOUT ROWID;
    -- The votes that were granted a reward with a limit.
    CREATE TABLE granted_votes (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL,
      reward       TEXT NOT NULL, -- its name at that time, as in grants
      cast_at      INTEGER NOT NULL,
      day          INTEGER NOT NULL,
      vote_id      INTEGER NOT NULL REFERENCES votes (id),
      PRIMARY KEY (reward_id, vote_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX granted_votes_of ON granted_votes (reward_id, recipient_id, cast_at, day);
    CREATE INDEX granted_votes_at ON granted_votes (reward_id, cast_at, day);
    -- Rewards that the operator gives without a vote: the cause 'operator' of grants.
    CREATE TABLE given_rewards (
      id           INTEGER PRIMARY KEY,
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      player       TEXT NOT NULL,
      given_at     INTEGER NOT NULL,
      given_by     TEXT NOT NULL -- the account on this machine
    ) STRICT;
    CREATE INDEX given_rewards_to ON given_rewards (recipient_id);

    -- The round in progress of each party. Which votes counted is stored with them, in reasons; the count is kept so that a vote
    -- costs one update.
    CREATE TABLE parties (
      reward_id    INTEGER PRIMARY KEY, -- of rewards, which has the name
      number       INTEGER NOT NULL, -- of the party that is reached next
      counted      INTEGER NOT NULL, -- votes that have counted for it since after_vote
      after_vote   INTEGER NOT NULL,
      after_listed INTEGER NOT NULL, -- as after_vote, for votes that were decided again: of listed_votes
      per          TEXT NOT NULL, -- the count starts again with each such period; '': never
      period       INTEGER NOT NULL,
      doubt        TEXT -- a code: why its grants will be held; NULL: they will not
    ) STRICT;
    -- Rule 14: each is reached once.
    CREATE TABLE reached_parties (
      id           INTEGER PRIMARY KEY,
      reward_id    INTEGER NOT NULL,
      number       INTEGER NOT NULL,
      votes        INTEGER NOT NULL,
      after_vote   INTEGER NOT NULL, -- its votes came after this one,
      last_vote    INTEGER NOT NULL, -- up to this one
      after_listed INTEGER NOT NULL,
      last_listed  INTEGER NOT NULL,
      reached_by   INTEGER NOT NULL REFERENCES votes (id),
      reached_at   INTEGER NOT NULL,
      doubt        TEXT,
      fixed_at     INTEGER, -- when it was stored who is paid; NULL: not yet
      carried_from INTEGER, -- as of reward_names
      UNIQUE (reward_id, number)
    ) STRICT;
    CREATE INDEX reached_parties_open ON reached_parties (id) WHERE fixed_at IS NULL;
    -- Who is paid for a party: the cause 'party' of grants.
    CREATE TABLE party_members (
      id           INTEGER PRIMARY KEY,
      party_id     INTEGER NOT NULL REFERENCES reached_parties (id),
      recipient_id INTEGER NOT NULL REFERENCES recipients (id)
    ) STRICT;
    CREATE INDEX party_members_in ON party_members (party_id);
    CREATE INDEX party_members_of ON party_members (recipient_id);

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
`;

const GRANTS = `
    -- What is owed, or was paid: one reward, for one cause, on one game server.
    CREATE TABLE grants (
      id                INTEGER PRIMARY KEY,
      cause             TEXT NOT NULL, -- such as 'vote'; what cause_id is the ID of
      cause_id          INTEGER NOT NULL,
      vote_id           INTEGER GENERATED ALWAYS AS (CASE cause WHEN 'vote' THEN cause_id END) VIRTUAL
                        REFERENCES votes (id),
      recipient_id      INTEGER NOT NULL REFERENCES recipients (id),
      player            TEXT, -- the spelling that commands use
      reward            TEXT NOT NULL,
      occasion          TEXT NOT NULL DEFAULT '', -- rule 14; '': none
      server            TEXT NOT NULL,
      pool              TEXT, -- as core/pool.ts: until a game server takes the grant, server is the same; NULL: server is fixed
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
      choice            TEXT, -- JSON, as core/choice.ts: which commands; NULL: the reward's commands
      filled            TEXT, -- JSON: figures and draws that the vote itself does not say; NULL: none
      -- On what terms it is paid. NULL for grants of rewards that set no terms.
      due_from          INTEGER, -- the end of its delay
      expires_after     INTEGER, -- ms that it may wait for its first command, from due_from on
      expires_at        INTEGER, -- as far as the pauses until the last look are known; NULL also once a command may have run
      announcement      TEXT, -- JSON, as AnnouncementTerms
      UNIQUE (cause_id, cause, reward, occasion, server)
    ) STRICT;
    CREATE INDEX grants_pending ON grants (server, practice, id) WHERE state = 'pending';
    -- Delayed grants wait, but no player is looked for because of them. With the reason, the index answers alone.
    CREATE INDEX grants_awaited ON grants (server, practice, recipient_id, player, reason)
      WHERE state = 'waiting' AND reason IS NOT 'delayed';
    CREATE INDEX grants_delayed ON grants (due_from) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_delayed_made ON grants (created_at) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_delayed_on ON grants (server, practice) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_expiring ON grants (expires_at) WHERE expires_at IS NOT NULL AND state IN ('pending', 'waiting');
    -- New grants and their delivery do not change it.
    CREATE INDEX grants_unpaid ON grants (recipient_id, state) WHERE state NOT IN ('pending', 'delivered');
    -- What operators look for, likewise. Nearly all are delivered in the end; those are read from the newest on.
    CREATE INDEX grants_open ON grants (state) WHERE state <> 'delivered';
    -- What needs the operator, by the time since when, with all that it is grouped by: 10,000 grants lie on as many pages.
    CREATE INDEX grants_stuck ON grants (changed_at, id, server, state, reason, reward) WHERE state IN ('held', 'refused');

    CREATE TABLE commands (
      grant_id   INTEGER NOT NULL REFERENCES grants (id),
      position   INTEGER NOT NULL,
      text       TEXT NOT NULL, -- with {player} open
      outcome    TEXT CHECK (outcome IN
                 ('sending', 'delivered', 'refused', 'player-offline', 'not-sent', 'unknown')),
      attempts   INTEGER NOT NULL DEFAULT 0,
      reply      TEXT, -- what the game server answered
      reason     TEXT, -- a code: why there is no answer
      facts      TEXT, -- JSON, as of grants
      started_at INTEGER,
      ended_at   INTEGER,
      PRIMARY KEY (grant_id, position)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX commands_sending ON commands (grant_id) WHERE outcome = 'sending';

    -- Which rewards were ever granted on which game servers: a search for others need not read every grant. Two
    -- indexes on grants would do the same and cost each vote 4 to 5 microseconds; this costs one lookup in a tiny table.
    CREATE TABLE granted (
      reward TEXT NOT NULL,
      server TEXT NOT NULL,
      PRIMARY KEY (reward, server)
    ) STRICT, WITHOUT ROWID;
    -- The pools that each game server is in.
    CREATE TABLE pools (
      server TEXT NOT NULL,
      pool   TEXT NOT NULL,
      PRIMARY KEY (server, pool)
    ) STRICT, WITHOUT ROWID;
    -- Who changed grants by hand.
    CREATE TABLE grant_actions (
      id       INTEGER PRIMARY KEY,
      grant_id INTEGER NOT NULL REFERENCES grants (id),
      action   TEXT NOT NULL CHECK (action IN ('pay', 'redirect', 'ran', 'mark-paid', 'cancel')),
      acted_at INTEGER NOT NULL,
      acted_by TEXT NOT NULL
    ) STRICT;
    CREATE INDEX grant_actions_of ON grant_actions (grant_id);
    -- Grants that the operator has paid to another player than the one that their vote names.
    CREATE TABLE redirected_grants (
      grant_id      INTEGER PRIMARY KEY REFERENCES grants (id),
      recipient_id  INTEGER NOT NULL REFERENCES recipients (id), -- who is paid
      redirected_at INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX redirected_to ON redirected_grants (recipient_id);
`;

const DELIVERY = `
    -- What each game server was when this ledger was last delivered from: what is open is held where it changes.
    CREATE TABLE game_servers (
      name TEXT PRIMARY KEY,
      kind TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
    -- How the queue of each game server stands in the process that delivers, for the commands of others to say.
    CREATE TABLE queues (
      server TEXT PRIMARY KEY,
      reason TEXT, -- why it pauses; NULL: the game server takes commands
      since  INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    CREATE TABLE pauses (
      id         INTEGER PRIMARY KEY,
      server     TEXT, -- NULL: every game server
      reward     TEXT, -- NULL: every reward
      paused_at  INTEGER NOT NULL,
      paused_by  TEXT NOT NULL, -- the account on this machine
      resumed_at INTEGER
    ) STRICT;
    CREATE UNIQUE INDEX pauses_open ON pauses (ifnull(server, ''), ifnull(reward, '')) WHERE resumed_at IS NULL;
    -- How many commands have ever been claimed: a ledger that knows of fewer than its mark has lost its newest part.
    CREATE TABLE claim_count (claims INTEGER NOT NULL) STRICT;
    INSERT INTO claim_count VALUES (0);

    -- What is known of this machine's clock: one row.
    CREATE TABLE clock (
      era           INTEGER NOT NULL, -- grows whenever the reference is set anew
      newest_at     INTEGER, -- the newest receipt, by the time that was believed
      doubt         INTEGER REFERENCES clock_doubts (id), -- the present one; null while the clock is believed
      offsets_after INTEGER NOT NULL -- votes up to this one say nothing about what is normal for their sites
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
    -- The votes of a doubt that has ended whose cast times are still to be moved.
    CREATE TABLE clock_moves (
      id        INTEGER PRIMARY KEY,
      next_vote INTEGER NOT NULL, -- all before this one are moved
      last_vote INTEGER NOT NULL,
      shift_ms  INTEGER NOT NULL
    ) STRICT;
    -- Of those, the ones that were moved out of turn, because their player voted again.
    CREATE TABLE moved_votes (vote_id INTEGER PRIMARY KEY) STRICT;

    -- Votes cast in one of these spans may have been paid by the ledger that was lost: their grants come in held.
    CREATE TABLE restores (
      backup_at   INTEGER NOT NULL,
      restored_at INTEGER NOT NULL
    ) STRICT;
    -- The processes that recorded votes, by this machine's clock: a vote that was cast while none ran may be missing.
    CREATE TABLE runs (
      id         INTEGER PRIMARY KEY,
      started_at INTEGER NOT NULL,
      seen_at    INTEGER NOT NULL, -- its last heartbeat, or its end
      ended_at   INTEGER -- NULL: it runs, or was killed
    ) STRICT;
    -- Sites whose missed votes are looked for in the listing's API.
    CREATE TABLE recoveries (
      site            TEXT PRIMARY KEY,
      met_at          INTEGER NOT NULL, -- when this ledger first met it; earlier votes were somebody else's to pay
      recovered_until INTEGER -- every vote cast before is here
    ) STRICT, WITHOUT ROWID;
    -- Up to which vote was removed what is only kept for a time, which the operator sets.
    CREATE TABLE removed_up_to (
      what    TEXT PRIMARY KEY CHECK (what IN ('addresses', 'wire')),
      vote_id INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;
    INSERT INTO removed_up_to VALUES ('addresses', 0), ('wire', 0);
`;

/** What other plugins knew of players before Teller ran. It belongs to a name, so joining and splitting names moves nothing. */
const IMPORTS = `
    CREATE TABLE imports (
      id       INTEGER PRIMARY KEY,
      source   TEXT NOT NULL, -- such as 'votingplugin'
      as_of    INTEGER NOT NULL,
      portions INTEGER NOT NULL DEFAULT 0 -- how many transactions it has made
    ) STRICT;
    -- Counts without the times of their votes.
    CREATE TABLE balances (
      name_id   INTEGER NOT NULL REFERENCES recipients (id), -- the row of the name, which may be joined to another
      source    TEXT NOT NULL,
      service   TEXT NOT NULL, -- '': of all services
      per       TEXT NOT NULL CHECK (per IN ('', 'day', 'week', 'month')), -- '': since the beginning
      from_day  INTEGER NOT NULL, -- of the period; 0: since the beginning
      to_day    INTEGER NOT NULL,
      stated    INTEGER NOT NULL, -- what the plugin says
      counted   INTEGER NOT NULL CHECK (counted >= 0), -- what it adds: those that the ledger has as votes left out
      as_of     INTEGER NOT NULL,
      import_id INTEGER NOT NULL REFERENCES imports (id),
      PRIMARY KEY (name_id, source, service, per, from_day)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX balances_of_period ON balances (to_day, from_day) WHERE per <> '';
    -- Days, weeks and months in a row.
    CREATE TABLE imported_runs (
      name_id   INTEGER NOT NULL REFERENCES recipients (id),
      source    TEXT NOT NULL,
      per       TEXT NOT NULL CHECK (per IN ('day', 'week', 'month')),
      first     INTEGER, -- the run that was in progress, in periods as they are numbered in core/period.ts; NULL: there was none
      last      INTEGER,
      best      INTEGER, -- how many periods the longest run has; NULL: not known
      import_id INTEGER NOT NULL REFERENCES imports (id),
      PRIMARY KEY (name_id, source, per)
    ) STRICT, WITHOUT ROWID;
    -- Hints: they join nothing.
    CREATE TABLE imported_uuids (
      name_id   INTEGER NOT NULL REFERENCES recipients (id),
      source    TEXT NOT NULL,
      uuid      TEXT NOT NULL, -- in lower case with hyphens
      import_id INTEGER NOT NULL REFERENCES imports (id),
      PRIMARY KEY (name_id, source)
    ) STRICT, WITHOUT ROWID;
`;

/**
 * What other programs are told. Triggers store it, so that it is in the transaction of what happened, whichever process
 * did it, and costs a look at an empty table where nobody wants to know.
 */
const EVENTS = `
    CREATE TABLE event_wants (
      kind     TEXT NOT NULL,
      receiver TEXT NOT NULL, -- a digest of its URL
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
      SELECT receiver, NEW.id, 'waiting', 0, NEW.at FROM event_wants WHERE kind = NEW.kind;
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
`;

export const ledgerSchema: Schema = {
  applicationId: APPLICATION_ID,
  version: 36,
  sql: [VOTES, PLAYERS, REWARDS, GRANTS, DELIVERY, IMPORTS, EVENTS].join(''),
  functions: { system_zone: systemZone },
};
