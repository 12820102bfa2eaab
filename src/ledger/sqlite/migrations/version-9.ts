import type { Migration } from '../../../sqlite/migrate.ts';

/** Which commands of its reward a grant runs, and what they were filled in with. */
export const version9: Migration = {
  version: 9,
  sql: `
    ALTER TABLE grants ADD COLUMN choice TEXT; -- JSON, as core/choice.ts; NULL: the reward's commands
    ALTER TABLE grants ADD COLUMN filled TEXT; -- JSON: figures and draws that the vote itself does not say; NULL: none
  `,
};
