import type { Migration } from '../../../sqlite/migrate.ts';

/** Which commands of its reward a grant runs, what they were filled in with, and which names its reward had when. */
export const version9: Migration = {
  version: 9,
  sql: `
    ALTER TABLE grants ADD COLUMN choice TEXT; -- JSON, as core/choice.ts; NULL: the reward's commands
    ALTER TABLE grants ADD COLUMN filled TEXT; -- JSON: figures and draws that the vote itself does not say; NULL: none

    -- The names of each reward, because the old name of a renamed one may be that of a new one.
    CREATE TABLE reward_names (
      reward_id  INTEGER NOT NULL REFERENCES rewards (id),
      name       TEXT NOT NULL,
      after_vote INTEGER NOT NULL, -- the last vote that was recorded before it had the name
      up_to_vote INTEGER,          -- the last one while it had it; NULL: it still has it
      PRIMARY KEY (reward_id, name, after_vote)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX reward_names_of ON reward_names (name, up_to_vote);
    INSERT INTO reward_names SELECT id, name, 0, NULL FROM rewards;
  `,
};
