import type { Migration } from '../../../sqlite/migrate.ts';

/** Indexes only, so that a vote changes one page with earlier votes of its recipient instead of two. */
export const version7: Migration = {
  version: 7,
  sql: `
    -- Rule 2, the same vote again. The time comes first, so that the entries of new votes are next to each other.
    DROP INDEX votes_by_claim;
    CREATE INDEX votes_by_claim ON votes (claimed_at / 1000, recipient_id, service);

    -- A recipient's votes are in votes_rewarded and here.
    CREATE INDEX votes_unrewarded ON votes (recipient_id, decision, service) WHERE decision <> 'rewarded';

    -- Replaces grants_waiting, whose questions grants_awaited answers as well. New grants and their delivery do not
    -- change it.
    DROP INDEX grants_waiting;
    CREATE INDEX grants_unpaid ON grants (recipient_id, state) WHERE state NOT IN ('pending', 'delivered');
  `,
};
