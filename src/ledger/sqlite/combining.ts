import { createHash } from 'node:crypto';
import type { Database } from '../../platform/sqlite/open.ts';
import { grantCode } from './stored-reason.ts';

/** So many grants are paid as one at most: each has two rows, which one transaction changes. */
export const COMBINED_MAX = 1_000;

/**
 * Grants that are paid as one. From the claim of their first command on, `combined_with` of all of them, the first one's
 * too, is the ID of the first one. If that command certainly did not run, they are single grants again. The commands of
 * each have the same outcomes. The caller holds the transaction.
 */
export class Combining {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Stores what a grant must share with others: all that decides what is run, and on what terms. */
  storeKey(grantId: number): void {
    const shared = JSON.stringify(this.statements.shared.raw().get(grantId));
    this.statements.storeKey.run(createHash('sha256').update(shared).digest(), grantId);
  }

  /** After its commands were changed. */
  renewKey(grantId: number): void {
    if (this.statements.hasKey.get(grantId) !== undefined) this.storeKey(grantId);
  }

  /** Whether a grant can be paid as one with exactly these others now. */
  canJoin(grantId: number, others: readonly number[]): boolean {
    const found = this.statements.joinable.get({ grantId, ids: JSON.stringify([grantId, ...others]) });
    return found === others.length + 1;
  }

  join(grantId: number, others: readonly number[]): void {
    this.statements.join.run({ grantId, ids: JSON.stringify([grantId, ...others]) });
  }

  /** Unless a command of theirs may have run. */
  separateUnlessBegun(grantId: number): void {
    this.statements.separate.run({ grantId });
  }

  /** The grants that are paid as one with this one, in order; only itself if there are none. */
  allOf(grantId: number): readonly number[] {
    const ids = this.statements.allOf.all(grantId) as number[];
    return ids.length === 0 ? [grantId] : ids;
  }
}

/** Another grant `e` that can be paid as one with the grant `g` of a queue. */
const CAN_COMBINE = `
  e.combine_key IS NOT NULL AND e.combined_with IS NULL AND e.state IN ('pending', 'waiting')
  AND e.recipient_id = g.recipient_id AND e.combine_key = g.combine_key AND e.server = g.server
  AND e.practice = g.practice AND e.reason IS NOT ${grantCode('delayed')}
  AND ifnull(e.expires_at > @now, true)`;

/** The IDs of the grants that `g` is, or can be, paid as one with; NULL if its reward does not combine. */
export const OTHERS = `
  CASE WHEN g.combine_key IS NULL THEN NULL
    WHEN g.combined_with IS NOT NULL THEN (
      SELECT json_group_array(e.id) FROM grants e WHERE e.combined_with = g.id AND e.id <> g.id)
    ELSE (SELECT json_group_array(id) FROM (
      SELECT e.id FROM grants e INDEXED BY grants_combining WHERE ${CAN_COMBINE} AND e.id <> g.id
      ORDER BY e.id LIMIT ${COMBINED_MAX - 1})) END`;

/** Of those that are, or can be, paid as one, the first stands for all. `isDue` is about a grant `e`. */
export const isFirstOfCombined = (isDue: string): string => `
  (g.combine_key IS NULL OR g.combined_with = g.id OR g.combined_with IS NULL AND NOT EXISTS (
    SELECT 1 FROM grants e INDEXED BY grants_combining
    WHERE ${CAN_COMBINE} AND e.state = g.state AND e.id < g.id AND ${isDue}))`;

const AMONG = 'id IN (SELECT value FROM json_each(@ids))';

const prepareStatements = (db: Database) => ({
  shared: db.prepare(`
    SELECT reward, run_when, safe_to_run_twice, (SELECT json_group_array(text) FROM (
      SELECT text FROM commands WHERE grant_id = grants.id ORDER BY position))
    FROM grants WHERE id = ?`),
  storeKey: db.prepare('UPDATE grants SET combine_key = ? WHERE id = ?'),
  hasKey: db.prepare('SELECT 1 FROM grants WHERE id = ? AND combine_key IS NOT NULL'),
  joinable: db
    .prepare(`
    SELECT count(*) FROM grants l CROSS JOIN grants o
    WHERE l.id = @grantId AND o.id IN (SELECT value FROM json_each(@ids)) AND o.state IN ('pending', 'waiting')
      AND o.combine_key = l.combine_key AND o.recipient_id = l.recipient_id AND o.server = l.server
      AND o.practice = l.practice AND o.combined_with IS l.combined_with AND ifnull(l.combined_with, l.id) = l.id`)
    .pluck(),
  join: db.prepare(`UPDATE grants SET combined_with = @grantId WHERE ${AMONG}`),
  separate: db.prepare(`
    UPDATE grants SET combined_with = NULL WHERE combined_with = @grantId AND NOT EXISTS (
      SELECT 1 FROM commands
      WHERE grant_id = @grantId AND outcome IN ('sending', 'delivered', 'refused', 'unknown'))`),
  allOf: db
    .prepare(`
    SELECT o.id FROM grants g CROSS JOIN grants o ON o.combined_with = g.combined_with
    WHERE g.id = ? ORDER BY o.id`)
    .pluck(),
});
