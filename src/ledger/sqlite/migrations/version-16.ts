import type { Migration } from '../../../sqlite/migrate.ts';

/** Players with several names. A name's row either has a history of its own or points to the row that has it. */
export const version16: Migration = {
  version: 16,
  sql: `
    -- The row with the history of the name's player; NULL: this one. Never a row that is itself joined to another.
    ALTER TABLE recipients ADD COLUMN joined_to INTEGER REFERENCES recipients (id);
    -- Of a row with a history: the name that grants are paid to, if it is not the row's own; '': none, because the name
    -- belongs to another player and the UUID was not seen since.
    ALTER TABLE recipients ADD COLUMN paid_as TEXT;
    -- When a game server last told us who has the name.
    ALTER TABLE recipients ADD COLUMN seen_at INTEGER;
    -- The history that the operator has split this name from: game servers do not join them again.
    ALTER TABLE recipients ADD COLUMN apart_from INTEGER REFERENCES recipients (id);
    CREATE INDEX recipients_joined ON recipients (joined_to) WHERE joined_to IS NOT NULL;
    CREATE INDEX recipients_of_player ON recipients (player_id) WHERE player_id IS NOT NULL;
    -- When a game server last told us the player's name.
    ALTER TABLE players ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;

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
  `,
};
