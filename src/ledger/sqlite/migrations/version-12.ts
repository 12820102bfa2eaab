import type { Migration } from '../../../sqlite/migrate.ts';

/** On what terms grants are paid, and what is paused. The columns are NULL for grants of rewards that set no terms. */
export const version12: Migration = {
  version: 12,
  sql: `
    ALTER TABLE grants ADD COLUMN due_from INTEGER;      -- the end of its delay
    ALTER TABLE grants ADD COLUMN expires_after INTEGER; -- ms that it may wait for its first command, from due_from on
    -- When it expires, as far as the pauses until the last look are known; NULL also once a command may have run.
    ALTER TABLE grants ADD COLUMN expires_at INTEGER;
    ALTER TABLE grants ADD COLUMN is_bounded INTEGER;    -- 1: its reward had maxWaiting
    ALTER TABLE grants ADD COLUMN seen_absent INTEGER;   -- 1: its player was not online at some time since it was made
    ALTER TABLE grants ADD COLUMN combine_key BLOB;      -- what it must share with others to be paid as one with them
    -- The ID of the first grant of those that it is paid as one with, also its own, from the claim of their first command
    -- on. If that certainly did not run: NULL again.
    ALTER TABLE grants ADD COLUMN combined_with INTEGER REFERENCES grants (id);

    -- Delayed grants wait, but no player is looked for because of them. With the reason, the index answers alone.
    DROP INDEX grants_awaited;
    CREATE INDEX grants_awaited ON grants (server, practice, recipient_id, player, reason)
      WHERE state = 'waiting' AND reason IS NOT 'delayed';
    CREATE INDEX grants_delayed ON grants (due_from) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_delayed_made ON grants (created_at) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_delayed_on ON grants (server, practice) WHERE state = 'waiting' AND reason = 'delayed';
    CREATE INDEX grants_expiring ON grants (expires_at) WHERE expires_at IS NOT NULL AND state IN ('pending', 'waiting');
    CREATE INDEX grants_bounded ON grants (recipient_id, reward) WHERE is_bounded = 1 AND state = 'pending';
    CREATE INDEX grants_unjoined ON grants (server, practice, id)
      WHERE run_when = 'join' AND state = 'waiting' AND reason IS NOT 'delayed' AND seen_absent IS NULL;
    CREATE INDEX grants_combining ON grants (recipient_id, combine_key, server, practice)
      WHERE combine_key IS NOT NULL AND combined_with IS NULL AND state IN ('pending', 'waiting');
    CREATE INDEX grants_combined ON grants (combined_with) WHERE combined_with IS NOT NULL;

    CREATE TABLE pauses (
      id         INTEGER PRIMARY KEY,
      server     TEXT, -- NULL: every game server
      reward     TEXT, -- NULL: every reward
      paused_at  INTEGER NOT NULL,
      paused_by  TEXT NOT NULL, -- the account on this machine
      resumed_at INTEGER,
      resumed_by TEXT
    ) STRICT;
    CREATE UNIQUE INDEX pauses_open ON pauses (ifnull(server, ''), ifnull(reward, '')) WHERE resumed_at IS NULL;
  `,
};
