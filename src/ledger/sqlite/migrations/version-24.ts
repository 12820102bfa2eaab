import type { Migration } from '../../../sqlite/migrate.ts';

/** What other plugins knew of players before Teller ran. It belongs to a name, so joining and splitting names moves nothing. */
export const version24: Migration = {
  version: 24,
  sql: `
    CREATE TABLE imports (
      id          INTEGER PRIMARY KEY,
      source      TEXT NOT NULL, -- such as 'votingplugin'
      as_of       INTEGER NOT NULL,
      imported_at INTEGER NOT NULL,
      imported_by TEXT NOT NULL,
      portions    INTEGER NOT NULL DEFAULT 0 -- how many transactions it has made
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
    -- Of a row with a history: the last day of the latest period of its balances. NULL: it has none.
    ALTER TABLE recipients ADD COLUMN balance_until INTEGER;

    -- Days in a row.
    CREATE TABLE balance_runs (
      name_id   INTEGER NOT NULL REFERENCES recipients (id),
      source    TEXT NOT NULL,
      first_day INTEGER, -- the run that was in progress; NULL: there was none
      last_day  INTEGER,
      best      INTEGER, -- how many days the longest run has; NULL: not known
      import_id INTEGER NOT NULL REFERENCES imports (id),
      PRIMARY KEY (name_id, source)
    ) STRICT, WITHOUT ROWID;
  `,
};
