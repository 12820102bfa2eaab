import type { Database } from '../sqlite/open.ts';
import { Granting } from './granting.ts';
import { grantCode } from './stored-reason.ts';

/** What a restore leaves for the operator to decide. */
export interface RestoreDoubts {
  /** Grants that are held now: those that were pending, waiting, held, or being sent. */
  readonly held: number;
  /** Grants that stay refused; they, too, may have been paid by the operator's word since the backup. */
  readonly refused: number;
  /** Commands that were being sent when the backup was made; they are unknown now. */
  readonly unknown: number;
}

/**
 * Tells a restored ledger that it is one, before anybody delivers from it. Rule 1: whatever was open at the time of the
 * backup may have been paid before the ledger was lost; what comes in late is held by `Recording`. Grants that are safe
 * to run twice are held with the others: twice in a minute does no harm, twice in a week may.
 */
export function noteRestore(database: Database, backupAt: number, restoredAt: number): RestoreDoubts {
  const granting = new Granting(database);
  const note = database.prepare('INSERT INTO restores (backup_at, restored_at) VALUES (?, ?)');
  const hold = database.prepare(`
    UPDATE grants SET changed_at = CASE state WHEN 'held' THEN changed_at ELSE ? END, state = 'held',
      reason = ${grantCode('restore-doubt')}, facts = NULL
    WHERE state IN ('pending', 'waiting', 'held')`);
  const mention = database.prepare(`
    UPDATE grants SET reason = ${grantCode('restore-doubt')}, facts = NULL WHERE state = 'refused'`);
  return database
    .transaction((): RestoreDoubts => {
      note.run(backupAt, restoredAt);
      const unknown = granting.settleInterrupted(restoredAt);
      const held = hold.run(restoredAt).changes;
      return { held, refused: mention.run().changes, unknown };
    })
    .immediate();
}
