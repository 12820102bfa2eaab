import type { Migration } from '../../../sqlite/migrate.ts';

/** More of what other plugins knew, and totals that are passed all at once. */
export const version26: Migration = {
  version: 26,
  sql: `
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

    -- Hints: they join nothing.
    CREATE TABLE imported_uuids (
      name_id   INTEGER NOT NULL REFERENCES recipients (id),
      source    TEXT NOT NULL,
      uuid      TEXT NOT NULL, -- in lower case with hyphens
      import_id INTEGER NOT NULL REFERENCES imports (id),
      PRIMARY KEY (name_id, source)
    ) STRICT, WITHOUT ROWID;

    -- Weeks and months in a row, beside the days.
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
    INSERT INTO imported_runs (name_id, source, per, first, last, best, import_id)
    SELECT name_id, source, 'day', first_day, last_day, best, import_id FROM balance_runs;
    DROP TABLE balance_runs;

    -- Of counted: what was imported. It may be less than 0, where the other side counts from a later vote.
    ALTER TABLE parties ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
  `,
};
