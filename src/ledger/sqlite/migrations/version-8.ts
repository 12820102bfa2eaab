import type { Migration } from '../../../sqlite/migrate.ts';

/** Counts the votes that there are. Also for ledgers whose votes were not recorded one by one. */
export const FILL_COUNTS = `
    UPDATE recipients SET counted = n.counted
      FROM (SELECT recipient_id, count(*) AS counted FROM votes WHERE decision = 'rewarded' GROUP BY recipient_id) n
      WHERE n.recipient_id = recipients.id;
    INSERT INTO voted_runs SELECT recipient_id, min(day), max(day) FROM (
        SELECT recipient_id, day, day - row_number() OVER (PARTITION BY recipient_id ORDER BY day) AS run
        FROM (SELECT DISTINCT recipient_id, local_day AS day FROM votes 
          WHERE decision IN ('rewarded', 'cooldown', 'too-old')))
      GROUP BY recipient_id, run;
    UPDATE recipients SET run_from = l.first_day, run_to = l.last_day
      FROM (SELECT recipient_id, max(first_day) AS first_day, last_day FROM voted_runs GROUP BY recipient_id) l
      WHERE l.recipient_id = recipients.id;
    DELETE FROM voted_runs WHERE first_day = (SELECT run_from FROM recipients WHERE id = recipient_id);
    INSERT INTO network_counts SELECT 'site ' || service, count(*) FROM votes WHERE decision = 'rewarded' GROUP BY service;
    INSERT INTO network_counts SELECT 'total', sum(counted) FROM network_counts HAVING count(*) > 0;`;

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

    ALTER TABLE votes ADD COLUMN counts_anyway INTEGER; -- 1: counted in totals, although it took no window
    CREATE INDEX votes_counted_anyway ON votes (recipient_id, service, cast_at) WHERE counts_anyway = 1;
    -- What a recipient did on some days, without reading the votes.
    CREATE INDEX votes_by_day ON votes (recipient_id, local_day, service, cast_at, decision, counts_anyway);

    -- A count and the latest days of each recipient are beside the name, so that a vote changes one page for both.
    ALTER TABLE recipients ADD COLUMN counted INTEGER NOT NULL DEFAULT 0;
    -- The latest of the runs of consecutive days with a vote, whether the votes were counted or not.
    ALTER TABLE recipients ADD COLUMN run_from INTEGER;
    ALTER TABLE recipients ADD COLUMN run_to INTEGER;
    -- The other runs.
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
    ${FILL_COUNTS}
  `,
};
