import type { Migration } from '../../../sqlite/migrate.ts';

/** Rewards that the operator gives without a vote: the cause `operator` of grants. */
export const version11: Migration = {
  version: 11,
  sql: `
    CREATE TABLE given_rewards (
      id           INTEGER PRIMARY KEY,
      recipient_id INTEGER NOT NULL REFERENCES recipients (id),
      player       TEXT NOT NULL,
      given_at     INTEGER NOT NULL,
      given_by     TEXT NOT NULL -- the account on this machine
    ) STRICT;
    CREATE INDEX given_rewards_to ON given_rewards (recipient_id);

    -- An occasion can be spent without a vote.
    CREATE TABLE new_occasions (
      reward_id    INTEGER NOT NULL REFERENCES rewards (id),
      recipient_id INTEGER NOT NULL, -- 0: accepted once in all, whoever the recipient is
      occasion     TEXT NOT NULL,
      vote_id      INTEGER REFERENCES votes (id), -- NULL: the operator gave the reward
      PRIMARY KEY (reward_id, recipient_id, occasion)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO new_occasions SELECT reward_id, recipient_id, occasion, vote_id FROM occasions;
    DROP TABLE occasions;
    ALTER TABLE new_occasions RENAME TO occasions;
  `,
};
