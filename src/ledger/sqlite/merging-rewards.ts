import type { Database } from '../../platform/sqlite/open.ts';

/** Makes one reward, party or top of several that a config carries on as one. The caller holds the transaction. */
export class MergingRewards {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /**
   * @param known IDs, at least one; of those for which nothing else decides, the first goes on.
   * @returns the ID of the one that goes on and has everything of the others now.
   */
  merge(known: readonly number[]): number {
    const id = known.find((each) => this.statements.round.get(each) !== undefined) ?? (known[0] as number);
    for (const other of known) if (other !== id) this.moveTo(id, other);
    return id;
  }

  private moveTo(id: number, other: number): void {
    const { moveParties, moveEach, forget } = this.statements;
    for (const statement of [...moveParties, ...moveEach]) statement.run({ id, other });
    for (const statement of forget) statement.run(other);
  }
}

/** What both were granted for, reached or settled stays with the one that goes on. */
const MOVED = [
  ...[
    'occasions',
    'reached_streaks',
    'granted_votes',
    'passed_occasions',
    'passed_totals',
    'joined_occasions',
    'joined_streaks',
  ],
  ...['top_starts', 'settled_tops'],
];

const prepareStatements = (db: Database) => ({
  round: db.prepare('SELECT 1 FROM parties WHERE reward_id = ?'),
  // The parties of both are counted on, so that no number is reached twice. The votes of a party that was reached are found
  // by the names of the entry that reached it.
  moveParties: [
    db.prepare(`
      UPDATE reached_parties
      SET reward_id = @id, carried_from = ifnull(carried_from, @other),
        number = number + (SELECT number - 1 FROM parties WHERE reward_id = @id)
      WHERE reward_id = @other`),
    db.prepare(`
      UPDATE parties SET number = number + ifnull((SELECT number - 1 FROM parties WHERE reward_id = @other), 0)
      WHERE reward_id = @id`),
    db.prepare(`
      UPDATE OR IGNORE reward_names SET reward_id = @id, carried_from = ifnull(carried_from, @other)
      WHERE reward_id = @other`),
  ],
  moveEach: MOVED.map((table) =>
    db.prepare(`UPDATE OR IGNORE ${table} SET reward_id = @id WHERE reward_id = @other`),
  ),
  forget: [
    // Grants refer to places that both have stored. They belong to no entry now: the ID may be used again.
    db.prepare('UPDATE settled_tops SET reward_id = -id WHERE reward_id = ?'),
    ...[...MOVED.filter((table) => table !== 'settled_tops'), 'reward_names', 'parties'].map((table) =>
      db.prepare(`DELETE FROM ${table} WHERE reward_id = ?`),
    ),
    db.prepare('DELETE FROM rewards WHERE id = ?'),
  ],
});
