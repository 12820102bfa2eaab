import type { Database } from '../../platform/sqlite/open.ts';
import { Interrupting } from './interrupting.ts';
import { holdParties } from './party-counting.ts';
import { grantCode } from './stored-reason.ts';

/** What a restore leaves for the operator to decide. */
export interface RestoreDoubts {
  /** Grants that are held now: those that were pending, waiting, held, or being sent. */
  readonly held: number;
  /** Grants that stay refused; the operator may have had them paid since the backup. */
  readonly refused: number;
  /** Commands that were being sent when the backup was made; they are unknown now. */
  readonly unknown: number;
}

/**
 * Marks a restored ledger as restored, before any process delivers from it. Rule 1: grants that were open at the time
 * of the backup may have been paid before the ledger was lost, so they are held; `Recording` holds those of late votes.
 * Grants that are safe to run twice are also held: running one twice in a minute does no harm, but twice in a week may.
 */
export function noteRestore(database: Database, backupAt: number, restoredAt: number): RestoreDoubts {
  const interrupting = new Interrupting(database);
  const store = database.prepare('INSERT INTO restores (backup_at, restored_at) VALUES (?, ?)');
  const hold = database.prepare(`
    UPDATE grants SET changed_at = CASE state WHEN 'held' THEN changed_at ELSE ? END, state = 'held',
      reason = ${grantCode('restore-doubt')}, facts = NULL
    WHERE state IN ('pending', 'waiting', 'held')`);
  const mention = database.prepare(`
    UPDATE grants SET reason = ${grantCode('restore-doubt')}, facts = NULL WHERE state = 'refused'`);
  return database
    .transaction((): RestoreDoubts => {
      store.run(backupAt, restoredAt);
      holdParties(database);
      const unknown = interrupting.settle(restoredAt);
      const held = hold.run(restoredAt).changes;
      return { held, refused: mention.run().changes, unknown };
    })
    .immediate();
}
