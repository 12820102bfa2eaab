import type { Database } from '../../platform/sqlite/open.ts';
import type { Asynchronous } from '../database/asynchronous.ts';
import { accountChanges } from './account-changes.ts';
import { budgetChanges } from './budget-changes.ts';
import { deliveryChanges } from './delivery-changes.ts';
import { listingChanges } from './listing-changes.ts';
import { pruningChanges } from './pruning-changes.ts';
import { sendChanges } from './send-changes.ts';
import { tokenChanges } from './token-changes.ts';
import { voteChanges } from './vote-changes.ts';
import { webhookChanges } from './webhook-changes.ts';

/**
 * Everything that changes the listing service's database, by name. Each change is one transaction and runs nothing but
 * statements. Arguments and results are plain values, and random values and times are arguments, so that a change can run
 * on another thread and be tried again with the same result.
 */
export const allChanges = (database: Database) => ({
  ...accountChanges(database),
  ...budgetChanges(database),
  ...deliveryChanges(database),
  ...listingChanges(database),
  ...pruningChanges(database),
  ...sendChanges(database),
  ...tokenChanges(database),
  ...voteChanges(database),
  ...webhookChanges(database),
});

/** The same as asynchronous functions. Each resolves when it is on disk. If it rejects, with a Problem, it changed nothing. */
export type Changes = Asynchronous<ReturnType<typeof allChanges>>;
