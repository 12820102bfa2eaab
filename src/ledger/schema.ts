/**
 * Everything that is stored, in the order in which it is best understood. Written once for both engines: words in capitals between
 * colons are what they call a thing.
 *
 * Times are milliseconds since the Unix epoch, UTC. Days are those since 1970-01-01, in the time zone that is stored, unless it says
 * otherwise. JSON is text. A flag is 0 or 1.
 *
 * The vote's row is the truth: counts beside it are written in the same transaction, and `check --deep` compares and rebuilds them.
 */
import type { Schema } from '../db/sqlite.ts';

/** `TELL` */
const APPLICATION_ID = 0x54454c4c;
const VERSION = 39;

/** In place of a day in vote_days. It is after all days, beside the latest one, so that a vote changes one page for both. */
export const EVER = 99_999;

const VOTES = `
    -- Every vote, in the order in which they came.
    CREATE TABLE votes (
      id             :ID:,
      service        TEXT NOT NULL, -- the service name that the vote has
      site           TEXT NOT NULL, -- the entry of sites in the config that it fell to
      player_id      :INT: NOT NULL, -- whose history it is part of
      name_id        :INT: NOT NULL, -- the name that it was cast under
      player         TEXT, -- the spelling of the vote; NULL: a user ID
      sent_as        TEXT, -- the player's name as the site sent it, where it is spelt another way
      cast_at        :INT: NOT NULL,
      claimed_at     :INT:, -- the time that the sender states
      received_at    :INT: NOT NULL,
      day            :INT: NOT NULL, -- of cast_at
      channel        TEXT NOT NULL,
      address        TEXT,
      event_id       TEXT, -- of a webhook or the API
      block_digest   :BYTES:, -- of the RSA block of version 1
      decision       TEXT NOT NULL,
      -- What it is to the player's history: 2 if it is counted in totals, 1 if it only marks its day, 0 if it is neither, also because
      -- it was voided.
      weight         :INT: NOT NULL,
      window_start   :INT: NOT NULL, -- the window that it took; of a vote that took none, the one that it would have taken
      window_end     :INT: NOT NULL, -- not part of it
      taken_by       :INT:, -- the vote that had the window
      paid_elsewhere :INT: NOT NULL, -- 1: another listener pays it
      seed           :REAL:, -- that its random numbers follow from
      reasons        TEXT, -- JSON: why each reward was granted or not, see rows.ts; NULL where none was looked at
      repeats        :INT: NOT NULL DEFAULT 0, -- how often the same vote came again
      repeated_at    :INT:,
      -- By what time the same vote is recognized: the claimed one if it can be believed, else that of its receipt.
      identified_at  :INT: NOT NULL,
      wire           TEXT NOT NULL -- as received; last, because it is long
    ) :TABLE:;
    -- Rule 2, the same vote again; and the votes of a site.
    CREATE INDEX votes_by_second ON votes (service, (identified_at / 1000), player_id);
    CREATE UNIQUE INDEX votes_by_event ON votes (service, event_id) WHERE event_id IS NOT NULL;
    CREATE UNIQUE INDEX votes_by_block ON votes (block_digest) WHERE block_digest IS NOT NULL;
    -- Rule 3, whose window a vote is near. Without it, a vote on a site where its player has not voted for long reads all their votes.
    CREATE INDEX votes_by_window ON votes (player_id, service, cast_at) WHERE decision = 'rewarded';
    CREATE INDEX votes_of_default ON votes (player_id, cast_at) WHERE site = 'default' AND decision = 'rewarded';
    -- A player's votes.
    CREATE INDEX votes_by_player ON votes (player_id, cast_at, decision, weight);
    -- What operators look for besides: nearly every vote is rewarded, and falls to the entry of its service.
    CREATE INDEX votes_by_decision ON votes (decision) WHERE decision <> 'rewarded';
    CREATE INDEX votes_by_entry ON votes (site) WHERE site <> service;
    -- Where the votes since a time begin. It bounds the IDs, and holds when the clock was set back, too.
    CREATE TABLE vote_hours (
      hour       :INT: PRIMARY KEY, -- hours since the epoch, of receipt
      first_vote :INT: NOT NULL
    ) :TABLE:;

    -- What a player did on each day, for conditions, figures and tops; and on all days together.
    CREATE TABLE vote_days (
      player_id :INT: NOT NULL,
      day       :INT: NOT NULL, -- ${EVER}: all of them
      service   TEXT NOT NULL,
      votes     :INT: NOT NULL, -- those that mark the day
      counted   :INT: NOT NULL, -- those that are counted in totals
      PRIMARY KEY (player_id, day, service)
    ) :KEYED:;
    -- What 'teller sites' shows. Days are of receipt, UTC; earlier days are day 0. Anyone with the public key can invent names, so those
    -- without an entry are bounded. The row without a site is the whole network.
    CREATE TABLE service_days (
      service  TEXT NOT NULL,
      site     TEXT NOT NULL,
      day      :INT: NOT NULL,
      decision TEXT NOT NULL,
      votes    :INT: NOT NULL,
      counted  :INT: NOT NULL,
      last_at  :INT: NOT NULL,
      PRIMARY KEY (service, site, day, decision)
    ) :KEYED:;
    CREATE TABLE refusals (
      hour    :INT: NOT NULL, -- hours since the epoch
      code    TEXT NOT NULL,
      service TEXT NOT NULL, -- as received, escaped and shortened; '' where none was read
      sender  TEXT NOT NULL,
      count   :INT: NOT NULL,
      last_at :INT: NOT NULL,
      PRIMARY KEY (hour, code, service, sender)
    ) :KEYED:;
    -- Services: when they were first seen, how far their missed votes are fetched, when they got an entry whose waiting votes are
    -- still to be decided again; of those without an entry, when they last voted.
    CREATE TABLE sites (
      service         TEXT PRIMARY KEY,
      met_at          :INT:, -- earlier votes were somebody else's to pay
      recovered_until :INT:, -- every vote cast before is here
      listed_at       :INT:,
      unlisted_at     :INT:
    ) :KEYED:;
    CREATE INDEX sites_unlisted ON sites (unlisted_at) WHERE unlisted_at IS NOT NULL;
`;

const PLAYERS = `
    -- Whose votes they are. A count and the latest days are beside the name, so that a vote changes one page for both.
    CREATE TABLE players (
      id         :ID:,
      name_id    :INT: NOT NULL, -- the name whose history it was first
      counted    :INT: NOT NULL DEFAULT 0, -- votes that count in totals, with those that were imported
      many       :INT: NOT NULL DEFAULT 0, -- a step that they have reached, see history-counts.ts
      run_from   :INT:, -- the latest of the runs of days with a vote, whether it was counted or not
      run_to     :INT:,
      changed_on :INT: NOT NULL DEFAULT 0, -- the day of the last join, split or import: what was reached by then pays nothing by itself
      voided     :INT: NOT NULL DEFAULT 0, -- votes that the operator has voided
      -- The name that grants are paid to, if it is not that one; '': none, because the name belongs to another player and
      -- the UUID was not seen since.
      paid_as    TEXT
    ) :TABLE:;
    -- Who has the most. By steps, because an entry that moves changes two pages.
    CREATE INDEX players_by_votes ON players (many) WHERE many > 0;
    -- Names and user IDs. Each belongs to one player.
    CREATE TABLE names (
      id             :ID:,
      player_id      :INT: NOT NULL,
      kind           TEXT NOT NULL CHECK (kind IN ('player', 'user')),
      key            TEXT NOT NULL, -- in lower case, or a user ID
      given_up_at    :INT: NOT NULL DEFAULT 0, -- 0: in use; later the name may belong to another player
      online_uuid    TEXT, -- first seen under this name
      floodgate_uuid TEXT,
      seen_at        :INT:, -- when a game server last told us who has the name
      present        :INT: NOT NULL DEFAULT 0, -- 1: was on a real game server, 2: on a practice one, 3: on both
      apart_from     :INT:, -- the player that the operator has split it from: not joined again
      UNIQUE (kind, key, given_up_at)
    ) :TABLE:;
    CREATE INDEX names_of ON names (player_id);
    CREATE UNIQUE INDEX names_by_online_uuid ON names (online_uuid) WHERE online_uuid IS NOT NULL;
    CREATE UNIQUE INDEX names_by_floodgate_uuid ON names (floodgate_uuid) WHERE floodgate_uuid IS NOT NULL;
    -- The runs of days with a vote before the latest.
    CREATE TABLE voted_runs (
      player_id :INT: NOT NULL,
      first_day :INT: NOT NULL,
      last_day  :INT: NOT NULL,
      PRIMARY KEY (player_id, first_day)
    ) :KEYED:;
    -- What another plugin had counted for a name, without the times of its votes.
    CREATE TABLE balances (
      name_id     :INT: NOT NULL,
      source      TEXT NOT NULL, -- such as 'votingplugin'
      as_of       :INT: NOT NULL,
      stated      :INT:, -- what the plugin says; NULL: it does not
      counted     :INT: NOT NULL, -- what it adds: those that the ledger has as votes left out
      month       :INT: NOT NULL, -- the month of as_of, as in core/period.ts
      month_stated  :INT:,
      month_counted :INT: NOT NULL,
      run_from    :INT:, -- days in a row
      run_to      :INT:,
      best        :INT:, -- how many days the longest run has
      uuid        TEXT, -- a hint: it joins nothing
      PRIMARY KEY (name_id, source)
    ) :KEYED:;
`;

const REWARDS = `
    -- The names of rewards, parties and tops, and since when each counts: what was reached earlier is not paid. A name that carries on
    -- others has their root.
    CREATE TABLE rewards (
      id           :ID:,
      name         TEXT NOT NULL,
      root_id      :INT: NOT NULL, -- the first of its names: whose the occasions are
      is_current   :INT: NOT NULL, -- 0: another name carries it on
      start_day    :INT: NOT NULL, -- on which a running config first contained it
      after_vote   :INT: NOT NULL, -- the last vote that was recorded before
      after_action :INT: NOT NULL, -- the last action before: a vote that was voided later had been counted
      is_limited   :INT: NOT NULL DEFAULT 0 -- of a root, 1: occasions has the places of its limit
    ) :TABLE:;
    CREATE UNIQUE INDEX rewards_by_name ON rewards (name) WHERE is_current = 1;
    -- Rule 14: what each reward was granted for, or lost; and the votes that were granted a reward with a limit.
    CREATE TABLE occasions (
      id        :ID:,
      reward_id :INT: NOT NULL, -- a root
      player_id :INT: NOT NULL,
      name_id   :INT: NOT NULL, -- the name that it belongs to, also after a split; 0: accepted once in all, whoever the player is
      occasion  TEXT NOT NULL, -- '': none, but a place of a limit
      how       TEXT NOT NULL CHECK (how IN ('granted', 'lost', 'given', 'imported')),
      vote_id   :INT:,
      cast_at   :INT: NOT NULL,
      day       :INT: NOT NULL,
      takes     :INT: NOT NULL -- 1: a place of the reward's limit
    ) :TABLE:;
    CREATE UNIQUE INDEX occasions_once ON occasions (reward_id, name_id, occasion) WHERE occasion <> '';
    CREATE INDEX occasions_of ON occasions (player_id, reward_id, cast_at);
    CREATE INDEX occasions_at ON occasions (reward_id, cast_at) WHERE takes = 1;
    CREATE INDEX occasions_by_vote ON occasions (vote_id) WHERE vote_id IS NOT NULL;

    -- The rounds of parties: the one that is counted, and those that were reached. The ID is the cause of grants.
    CREATE TABLE parties (
      id         :ID:,
      reward_id  :INT: NOT NULL, -- a root
      number     :INT: NOT NULL,
      counted    :INT: NOT NULL,
      per        TEXT NOT NULL, -- the count starts again with each such period; '': never
      period     :INT: NOT NULL,
      doubt      TEXT, -- a code: why its grants are held; NULL: they are not
      reached_by :INT:, -- a vote; NULL: it is counted
      reached_at :INT:,
      fixed_at   :INT:, -- when it was stored who is paid
      UNIQUE (reward_id, number)
    ) :TABLE:;
    CREATE INDEX parties_open ON parties (id) WHERE fixed_at IS NULL;
    CREATE TABLE party_votes (
      party_id  :INT: NOT NULL,
      vote_id   :INT: NOT NULL,
      player_id :INT: NOT NULL,
      PRIMARY KEY (party_id, vote_id)
    ) :KEYED:;
    CREATE INDEX party_votes_of ON party_votes (player_id, party_id);
    -- The places of periods that are settled, each period once. Place 0 stands for the period as such, also for the one before a top began.
    CREATE TABLE tops (
      id         :ID:, -- the cause of grants
      reward_id  :INT: NOT NULL, -- a root
      per        TEXT NOT NULL,
      period     :INT: NOT NULL,
      place      :INT: NOT NULL,
      nth        :INT: NOT NULL, -- among those who share the place
      player_id  :INT:,
      player     TEXT,
      votes      :INT: NOT NULL,
      reached_at :INT: NOT NULL, -- the cast time of the latest of the votes; of place 0, when it was settled
      last_vote  :INT: NOT NULL, -- that was recorded then
      UNIQUE (reward_id, per, period, place, nth)
    ) :TABLE:;
    CREATE INDEX tops_of ON tops (player_id) WHERE player_id IS NOT NULL;
`;

const GRANTS = `
    -- What is owed, or was paid: one reward, for one cause, on one game server, with its commands.
    CREATE TABLE grants (
      id            :ID:,
      cause         TEXT NOT NULL CHECK (cause IN ('vote', 'operator', 'party', 'top')), -- what cause_id is the ID of
      cause_id      :INT: NOT NULL,
      player_id     :INT: NOT NULL, -- who is paid
      name_id       :INT: NOT NULL, -- whose it was at first, also if it is redirected
      player        TEXT, -- the spelling that commands use; NULL: for nobody in particular, or a user ID
      reward        TEXT NOT NULL, -- its name at that time
      occasion      TEXT NOT NULL, -- rule 14; '': none
      server        TEXT NOT NULL,
      pool          TEXT, -- as core/pool.ts: until a game server takes the grant, server is the same; NULL: server is fixed
      practice      :INT: NOT NULL,
      run_when      TEXT NOT NULL,
      safe          :INT: NOT NULL, -- 1: safe to run twice
      state         TEXT NOT NULL
                    CHECK (state IN ('pending', 'waiting', 'held', 'refused', 'delivered', 'cancelled')),
      reason        TEXT, -- a code: why it is in this state, where the state alone does not say
      facts         TEXT, -- JSON: what the code's sentence needs; NULL where it needs nothing
      commands      TEXT NOT NULL, -- JSON: their texts, in order, with {player} open
      outcomes      TEXT NOT NULL DEFAULT '[]', -- JSON: what became of each, see rows.ts
      sending       :INT:, -- the number of the claim whose command is being sent
      position      :INT: NOT NULL DEFAULT 0, -- of the first command that is not done
      due_at        :INT: NOT NULL, -- not tried before; 0: at once
      created_at    :INT: NOT NULL,
      changed_at    :INT: NOT NULL,
      uuid          TEXT, -- what {uuid} stood for in the commands that were sent
      choice        TEXT, -- JSON, as core/choice.ts: which commands; NULL: the reward's commands
      filled        TEXT, -- JSON: figures and draws that the vote itself does not say; NULL: none
      due_from      :INT:, -- the end of its delay
      expires_after :INT:, -- ms that it may wait for its first command, from due_from on
      expires_at    :INT:, -- as far as the pauses until the last look are known; NULL also once a command may have run
      announcement  TEXT, -- JSON, as AnnouncementTerms
      instead_of    :INT:, -- the player that its cause names, if the operator has redirected it
      redirected_at :INT:,
      UNIQUE (cause_id, cause, reward, occasion, server, name_id)
    ) :TABLE:;
    CREATE INDEX grants_pending ON grants (server, practice, id, player_id) WHERE state = 'pending';
    -- Delayed grants wait, but no player is looked for because of them.
    CREATE INDEX grants_waiting ON grants (server, practice, player_id, player) WHERE state = 'waiting' AND reason <> 'delayed';
    CREATE INDEX grants_delayed ON grants (due_from) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_expiring ON grants (expires_at) WHERE expires_at IS NOT NULL AND state IN ('pending', 'waiting');
    CREATE INDEX grants_sending ON grants (id) WHERE sending IS NOT NULL;
    -- New grants and their delivery change neither.
    CREATE INDEX grants_unpaid ON grants (player_id, state) WHERE state NOT IN ('pending', 'delivered');
    CREATE INDEX grants_open ON grants (state, id) WHERE state <> 'delivered';
    -- What needs the operator, by the time since when.
    CREATE INDEX grants_stuck ON grants (changed_at, id, server, state, reason, reward) WHERE state IN ('held', 'refused');
    CREATE INDEX grants_of_parties ON grants (player_id) WHERE cause = 'party';
    CREATE INDEX grants_redirected ON grants (player_id) WHERE instead_of IS NOT NULL;
    -- Which rewards were ever granted on which game servers: a search for others need not read every grant.
    CREATE TABLE granted (
      reward TEXT NOT NULL,
      server TEXT NOT NULL,
      PRIMARY KEY (reward, server)
    ) :KEYED:;
    -- Every change by an operator or an import, and what game servers showed of players.
    CREATE TABLE actions (
      id        :ID:,
      kind      TEXT NOT NULL, -- see rows.ts
      at        :INT: NOT NULL,
      by        TEXT NOT NULL, -- an account on this machine, a game server, what was imported
      vote_id   :INT:,
      grant_id  :INT:,
      player_id :INT:,
      name_id   :INT:,
      facts     TEXT, -- JSON: a reason, the decision before
      undone_by :INT: -- an action
    ) :TABLE:;
    CREATE INDEX actions_by_kind ON actions (kind, at);
    CREATE INDEX actions_of_vote ON actions (vote_id) WHERE vote_id IS NOT NULL;
    CREATE INDEX actions_of_grant ON actions (grant_id) WHERE grant_id IS NOT NULL;
    CREATE INDEX actions_of_player ON actions (player_id) WHERE player_id IS NOT NULL;
`;

const DELIVERY = `
    -- What each game server was when this ledger was last delivered from, and how its queue stands; and the pools that it is in.
    CREATE TABLE servers (
      name    TEXT PRIMARY KEY,
      kind    TEXT, -- what is open is held where it changes; NULL: not known
      trouble TEXT, -- why its queue waits; NULL: the game server takes commands
      since   :INT: -- NULL: nothing is known of its queue
    ) :KEYED:;
    CREATE TABLE pools (
      server TEXT NOT NULL,
      pool   TEXT NOT NULL,
      PRIMARY KEY (server, pool)
    ) :KEYED:;
    CREATE TABLE pauses (
      id         :ID:,
      server     TEXT, -- NULL: every game server
      reward     TEXT, -- NULL: every reward
      paused_at  :INT: NOT NULL,
      paused_by  TEXT NOT NULL, -- the account on this machine
      resumed_at :INT:
    ) :TABLE:;
    CREATE UNIQUE INDEX pauses_open ON pauses (coalesce(server, ''), coalesce(reward, '')) WHERE resumed_at IS NULL;
    -- Votes cast in one of these spans may have been paid by the ledger that was lost: their grants come in held.
    CREATE TABLE restores (
      backup_at   :INT: NOT NULL,
      restored_at :INT: NOT NULL
    ) :TABLE:;
    -- The processes that recorded votes, by this machine's clock: a vote that was cast while none ran may be missing.
    CREATE TABLE runs (
      id         :ID:,
      started_at :INT: NOT NULL,
      seen_at    :INT: NOT NULL, -- its last heartbeat, or its end
      ended_at   :INT: -- NULL: it runs, or was killed
    ) :TABLE:;

    -- What other programs are told, who they are, and for each event those that have not got it yet.
    CREATE TABLE events (
      id         :ID:, -- the newest event is never removed, so none is used again
      event_id   TEXT NOT NULL, -- a UUID
      kind       TEXT NOT NULL,
      at         :INT: NOT NULL,
      subject    :INT:, -- the vote or the grant that it is about
      facts      TEXT, -- JSON: what neither of them says later
      unique_key TEXT UNIQUE -- of what could be stored twice
    ) :TABLE:;
    CREATE TABLE event_receivers (
      receiver    TEXT PRIMARY KEY, -- a digest of its URL
      kinds       TEXT NOT NULL, -- JSON
      since       :INT: NOT NULL,
      delivered   :INT: NOT NULL DEFAULT 0,
      dropped     :INT: NOT NULL DEFAULT 0, -- events that were never delivered and are not kept any more
      last_at     :INT:, -- when its last attempt ended
      status      :INT:,
      reason      TEXT
    ) :KEYED:;
    CREATE TABLE event_posts (
      receiver TEXT NOT NULL,
      event    :INT: NOT NULL,
      state    TEXT NOT NULL CHECK (state IN ('waiting', 'sending', 'undelivered')),
      failures :INT: NOT NULL DEFAULT 0, -- attempts that have failed
      due_at   :INT: NOT NULL,
      PRIMARY KEY (receiver, event)
    ) :KEYED:;
    CREATE INDEX event_posts_due ON event_posts (receiver, due_at, event) WHERE state = 'waiting';

    -- Single values: see meta.ts.
    CREATE TABLE meta (
      name   TEXT PRIMARY KEY,
      number :INT:,
      text   TEXT
    ) :KEYED:;
`;

type Engine = 'sqlite' | 'postgres';

const WORDS: Readonly<Record<Engine, Readonly<Record<string, string>>>> = {
  sqlite: {
    ...{ ID: 'INTEGER PRIMARY KEY', INT: 'INTEGER', REAL: 'REAL', BYTES: 'BLOB' },
    ...{ TABLE: 'STRICT', KEYED: 'STRICT, WITHOUT ROWID' },
  },
  postgres: {
    ...{ ID: 'BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY', INT: 'BIGINT', REAL: 'DOUBLE PRECISION' },
    ...{ BYTES: 'BYTEA', TABLE: '', KEYED: '' },
  },
};

export const schemaFor = (engine: Engine): string =>
  [VOTES, PLAYERS, REWARDS, GRANTS, DELIVERY]
    .join('')
    .replaceAll(/:([A-Z]+):/g, (written, word: string) => WORDS[engine][word] ?? written);

export const ledgerSchema: Schema = {
  ...{ applicationId: APPLICATION_ID, version: VERSION },
  sql: schemaFor('sqlite'),
};
