import type { Migration } from '../../../sqlite/migrate.ts';

/** What game servers are asked before and after the commands of grants. NULL for grants of rewards that ask nothing. */
export const version18: Migration = {
  version: 18,
  sql: `
    ALTER TABLE grants ADD COLUMN checks TEXT; -- JSON, as core/grant-checks.ts
    -- 1: the condition was met when the first command was claimed; 0: it was not, and the commands are those of orElse.
    ALTER TABLE grants ADD COLUMN condition_met INTEGER;
  `,
};
