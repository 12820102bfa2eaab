import type { Migration } from '../../../sqlite/migrate.ts';

/** Parties and tops that carry on others: which names they had when, also of votes that are decided again later. */
export const version22: Migration = {
  version: 22,
  sql: `
    -- As after_vote and up_to_vote, for votes of services that were listed later: of listed_votes.
    ALTER TABLE reward_names ADD COLUMN after_listed INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE reward_names ADD COLUMN up_to_listed INTEGER;
    UPDATE reward_names SET up_to_listed = (SELECT ifnull(max(id), 0) FROM listed_votes) WHERE up_to_vote IS NOT NULL;
    -- Where several entries were made one: the ID of the one that had the name, or reached the party; NULL: this one.
    ALTER TABLE reward_names ADD COLUMN carried_from INTEGER;
    ALTER TABLE reached_parties ADD COLUMN carried_from INTEGER;
  `,
};
