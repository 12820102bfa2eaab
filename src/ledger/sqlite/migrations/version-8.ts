import type { Migration } from '../../../sqlite/migrate.ts';

/** Counts the votes that there are. Also for ledgers whose votes were not recorded one by one. */
export const FILL_COUNTS = `
    INSERT INTO voted_days
      SELECT recipient_id, local_day, service, sum(decision = 'rewarded')
      FROM votes WHERE decision IN ('rewarded', 'cooldown', 'too-old') GROUP BY recipient_id, local_day, service;
    INSERT INTO voted_runs SELECT recipient_id, min(day), max(day) FROM (
        SELECT recipient_id, day, day - row_number() OVER (PARTITION BY recipient_id ORDER BY day) AS run
        FROM (SELECT DISTINCT recipient_id, day FROM voted_days))
      GROUP BY recipient_id, run;
    INSERT INTO counts SELECT recipient_id, 'site ' || service, sum(counted) FROM voted_days
      GROUP BY recipient_id, service HAVING sum(counted) > 0;
    INSERT INTO counts SELECT recipient_id, 'total', sum(counted) FROM counts GROUP BY recipient_id;
    INSERT INTO counts SELECT 0, of, sum(counted) FROM counts GROUP BY of;`;

/** What rewards depend on: counts and days of votes, and the occasions that were taken. */
export const version8: Migration = {
  version: 8,
  sql: `
    -- Since when each reward counts: rewards for totals and streaks that were reached earlier are not paid.
    CREATE TABLE rewards (
      id         INTEGER PRIMARY KEY,
      name       TEXT NOT NULL UNIQUE,
      start_day  INTEGER NOT NULL, -- the local day on which a running config first contained the name
      after_vote INTEGER NOT NULL, -- the last vote that was recorded before
      is_limited INTEGER NOT NULL DEFAULT 0 CHECK (is_limited IN (0, 1)) -- 1: granted_votes has its votes
    ) STRICT;

    -- Rule 14: what each reward was granted for, or lost.
    CREATE TABLE occasions (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL, -- 0: accepted once in all, whoever the recipient is
      occasion     TEXT NOT NULL,
      vote_id      INTEGER NOT NULL REFERENCES votes (id),
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

    -- Counted votes: 'total', or 'site ' and the service. Recipient 0 is the whole network.
    CREATE TABLE counts (
      recipient_id INTEGER NOT NULL,
      of           TEXT NOT NULL,
      counted      INTEGER NOT NULL,
      PRIMARY KEY (recipient_id, of)
    ) STRICT, WITHOUT ROWID;
    -- The days on which each recipient voted, whether the votes were counted or not.
    CREATE TABLE voted_days (
      recipient_id    INTEGER NOT NULL,
      day             INTEGER NOT NULL, -- as local_day of votes
      service         TEXT NOT NULL,
      counted         INTEGER NOT NULL, -- how many of its votes on this service are counted in totals
      PRIMARY KEY (recipient_id, day, service)
    ) STRICT, WITHOUT ROWID;
    -- Consecutive days among them.
    CREATE TABLE voted_runs (
      recipient_id INTEGER NOT NULL,
      first_day    INTEGER NOT NULL,
      last_day     INTEGER NOT NULL,
      PRIMARY KEY (recipient_id, first_day)
    ) STRICT, WITHOUT ROWID;
    ALTER TABLE votes ADD COLUMN counts_anyway INTEGER; -- 1: counted in totals, although it took no window
    CREATE INDEX votes_counted_anyway ON votes (recipient_id, service, cast_at) WHERE counts_anyway = 1;
    ${FILL_COUNTS}
  `,
};
