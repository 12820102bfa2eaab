import type { Migration } from '../../../sqlite/migrate.ts';

/** What needs the operator is found by reward from the index alone: 10,000 grants lie on as many pages of the file. */
export const version28: Migration = {
  version: 28,
  sql: `
    DROP INDEX grants_stuck;
    CREATE INDEX grants_stuck ON grants (changed_at, id, server, state, reason, reward) WHERE state IN ('held', 'refused');
  `,
};
