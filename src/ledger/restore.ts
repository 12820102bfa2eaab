/** Rule 1: what a restore leaves for the operator to decide, because the ledger that was lost may have paid it. */
import type { Tx } from '../db/db.ts';
import { settleInterrupted } from './closing.ts';
import { changeGrants } from './queue.ts';

export interface RestoreDoubts {
  /** Grants that are held now: those that were pending, waiting, held, or being sent. */
  readonly held: number;
  /** Grants that stay refused; the operator may have had them paid since the backup. */
  readonly refused: number;
  /** Commands that were being sent when the backup was made; they are unknown now. */
  readonly unknown: number;
}

/**
 * Marks a restored ledger as restored, before any process delivers from it. Grants that are safe to run twice are held too: running
 * one twice in a minute does no harm, but twice in a week may. Votes that were cast between the backup and the restore are held when
 * they come, see `record.ts`.
 *
 * @param backupAt when the backup was made.
 */
export async function noteRestore(tx: Tx, backupAt: number, restoredAt: number): Promise<RestoreDoubts> {
  await tx.run('INSERT INTO restores (backup_at, restored_at) VALUES ($1, $2)', [backupAt, restoredAt]);
  tx.forget('restores');
  await tx.run(`UPDATE parties SET doubt = 'restore-doubt' WHERE fixed_at IS NULL`);
  const unknown = await settleInterrupted(tx, restoredAt);
  // Those that were held stay in their place among what needs the operator.
  const before = await tx.run(
    `UPDATE grants SET reason = 'restore-doubt', facts = NULL WHERE state IN ('held', 'refused') AND state = 'held'`,
  );
  const to = { state: 'held', reason: { code: 'restore-doubt' }, now: restoredAt } as const;
  const held = await changeGrants(tx, to, '', `state IN ('pending', 'waiting') AND state <> 'delivered'`, []);
  const refused = await tx.run(
    `UPDATE grants SET reason = 'restore-doubt', facts = NULL WHERE state IN ('held', 'refused') AND state = 'refused'`,
  );
  return { held: before + held.length, refused, unknown };
}
