import type { Migration } from '../../../sqlite/migrate.ts';

/** Votes that another listener pays, beside which this Teller runs. */
export const version23: Migration = {
  version: 23,
  sql: `
    -- 1: not paid here; NULL: paid here.
    ALTER TABLE votes ADD COLUMN paid_elsewhere INTEGER CHECK (paid_elsewhere = 1);
  `,
};
