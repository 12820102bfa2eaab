import type { Migration } from '../../../sqlite/migrate.ts';

/**
 * What rewards for voting on all sites depend on, in the row that most votes read and write anyway; and what reasons have
 * in common, so that a vote stores only the rest.
 */
export const version15: Migration = {
  version: 15,
  sql: `
    -- The services voted on by the player on run_to, each between line breaks; NULL: read the votes.
    ALTER TABLE recipients ADD COLUMN services TEXT;

    -- votes.reasons and rewarded_by_operator.reasons are lists now: [[id, …facts], …]. Earlier ones stay as they are.
    CREATE TABLE reason_forms (
      id   INTEGER PRIMARY KEY,
      form TEXT NOT NULL UNIQUE -- JSON: [reward, code, …names of facts]
    ) STRICT;
  `,
};
