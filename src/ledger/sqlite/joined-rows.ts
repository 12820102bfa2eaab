import type { Database } from '../../platform/sqlite/open.ts';
import { VoteCounts } from './vote-counts.ts';

/** Two rows of recipients, by ID. */
export interface Rows {
  readonly from: number;
  readonly to: number;
}

/**
 * Moves what belongs to a name between its own row and the row of its player's history. Windows and places of limits move
 * as they are, so they may overlap or be too many. The caller holds the transaction.
 */
export class JoinedRows {
  private readonly statements;
  private readonly counts: VoteCounts;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.counts = new VoteCounts(database);
  }

  /** Moves everything of a history to another one. What only the change tells apart is stored for `separate`. */
  join(rows: Rows, changeId: number): void {
    const { votes, given, together, ownRows, keep, move, joinNames } = this.statements.join;
    votes.run(rows);
    given.run(rows);
    together.run(rows);
    this.follow(rows);
    for (const statement of keep) statement.run({ ...rows, changeId });
    for (const statement of move) statement.run(rows);
    ownRows.run(rows);
    joinNames.run(rows);
    this.recount(rows);
  }

  /** Moves back what was cast under or given to a name, and what the change that joined it moved besides. */
  separate(rows: Rows, key: string, changeId: number): void {
    const { votes, given, grants, back, forget } = this.statements.separate;
    votes.run({ ...rows, key });
    given.run({ ...rows, key });
    this.follow(rows);
    grants.run({ ...rows, key });
    for (const statement of [...back, ...forget]) statement.run({ ...rows, changeId, key });
    this.recount(rows);
  }

  private follow(rows: Rows): void {
    for (const statement of this.statements.follow) statement.run(rows);
  }

  /** Moves votes that are under a joined row, where none should be. */
  repair(rows: Rows): void {
    this.statements.join.votes.run(rows);
    this.follow(rows);
    this.recount(rows);
  }

  private recount({ from, to }: Rows): void {
    for (const recipient of [from, to]) this.counts.recountAll(recipient);
  }
}

/** The votes of a recipient, from indexes. */
const votesOf = (recipient: string): string => `
  SELECT id FROM votes INDEXED BY votes_rewarded WHERE decision = 'rewarded' AND recipient_id = ${recipient}
  UNION ALL SELECT id FROM votes INDEXED BY votes_unrewarded WHERE decision <> 'rewarded' AND recipient_id = ${recipient}`;

/** Occasions and places of limits are found by reward, of which there are few. */
const OF_ANY_REWARD = 'reward_id IN (SELECT id FROM rewards)';

/** What players earn together: causes of grants, and the tables of those whom they are for. */
const TOGETHER = [
  ['party', 'party_members'],
  ['top', 'top_places'],
] as const;

const togetherOf = (recipient: string): string =>
  TOGETHER.map(
    ([cause, table]) => `
        SELECT g.id FROM ${table} m CROSS JOIN grants g ON g.cause = '${cause}' AND g.cause_id = m.id
        WHERE m.recipient_id = ${recipient}`,
  ).join(' UNION ALL ');

const NOT_REDIRECTED = 'NOT EXISTS (SELECT 1 FROM redirected_grants d WHERE d.grant_id = g.id)';

const prepareStatements = (db: Database) => ({
  // What follows the votes and the rewards that were moved before.
  follow: [
    `UPDATE grants SET recipient_id = @to WHERE id IN (
       SELECT g.id FROM (${votesOf('@to')}) v CROSS JOIN grants g ON g.cause = 'vote' AND g.cause_id = v.id
       WHERE g.recipient_id = @from AND ${NOT_REDIRECTED}
       UNION ALL SELECT g.id FROM given_rewards p CROSS JOIN grants g ON g.cause = 'operator' AND g.cause_id = p.id
       WHERE p.recipient_id = @to AND g.recipient_id = @from AND ${NOT_REDIRECTED})`,
    `UPDATE OR IGNORE occasions SET recipient_id = @to
     WHERE ${OF_ANY_REWARD} AND recipient_id = @from AND vote_id IN (${votesOf('@to')})`,
    `UPDATE granted_votes SET recipient_id = @to
     WHERE ${OF_ANY_REWARD} AND recipient_id = @from AND vote_id IN (${votesOf('@to')})`,
    `UPDATE listed_votes SET recipient_id = @to WHERE recipient_id = @from AND vote_id IN (${votesOf('@to')})`,
    `UPDATE voided_votes SET recipient_id = @to WHERE recipient_id = @from AND vote_id IN (${votesOf('@to')})`,
  ].map((sql) => db.prepare(sql)),
  join: {
    votes: db.prepare(`UPDATE votes SET recipient_id = @to WHERE id IN (${votesOf('@from')})`),
    given: db.prepare('UPDATE given_rewards SET recipient_id = @to WHERE recipient_id = @from'),
    keep: [
      `INSERT INTO joined_occasions SELECT @changeId, reward_id, occasion FROM occasions o
       WHERE ${OF_ANY_REWARD} AND recipient_id = @from AND vote_id IS NULL AND NOT EXISTS (
         SELECT 1 FROM occasions WHERE reward_id = o.reward_id AND recipient_id = @to AND occasion = o.occasion)`,
      `INSERT INTO joined_streaks SELECT @changeId, reward_id, per, length, period, 0 FROM reached_streaks s
       WHERE ${OF_ANY_REWARD} AND recipient_id = @from AND NOT EXISTS (
         SELECT 1 FROM reached_streaks WHERE reward_id = s.reward_id AND recipient_id = @to
           AND per = s.per AND length = s.length AND period = s.period)`,
    ].map((sql) => db.prepare(sql)),
    // What both were granted stays with each, for a split.
    move: ['occasions', 'reached_streaks', 'passed_occasions', 'passed_totals']
      .map(
        (table) =>
          `UPDATE OR IGNORE ${table} SET recipient_id = @to WHERE ${OF_ANY_REWARD} AND recipient_id = @from`,
      )
      .concat(
        ['redirected_grants', 'party_members', 'top_places'].map(
          (table) => `UPDATE ${table} SET recipient_id = @to WHERE recipient_id = @from`,
        ),
      )
      .map((sql) => db.prepare(sql)),
    together: db.prepare(`
      UPDATE grants SET recipient_id = @to WHERE recipient_id = @from AND id IN (${togetherOf('@from')})`),
    // Whatever else is open for the name, and what was redirected to it.
    ownRows: db.prepare(`
      UPDATE grants SET recipient_id = @to WHERE id IN (
        SELECT id FROM grants WHERE recipient_id = @from AND state NOT IN ('pending', 'delivered')
        UNION ALL SELECT id FROM grants WHERE state = 'pending' AND recipient_id = @from
        UNION ALL SELECT grant_id FROM redirected_grants WHERE recipient_id = @to)
      AND recipient_id = @from`),
    joinNames: db.prepare(`
      UPDATE recipients SET joined_to = @to, paid_as = NULL, apart_from = NULL WHERE id = @from OR joined_to = @from`),
  },
  separate: {
    votes: db.prepare(`
      UPDATE votes SET recipient_id = @to WHERE id IN (${votesOf('@from')}) AND lower(player) = @key`),
    given: db.prepare(
      'UPDATE given_rewards SET recipient_id = @to WHERE recipient_id = @from AND lower(player) = @key',
    ),
    // Those that no vote and no gift of the name causes: redirected ones, for example.
    grants: db.prepare(`
      UPDATE grants SET recipient_id = @to WHERE id IN (
        SELECT id FROM grants WHERE recipient_id = @from AND state NOT IN ('pending', 'delivered')
        UNION ALL SELECT id FROM grants WHERE state = 'pending' AND recipient_id = @from
        UNION ALL SELECT grant_id FROM redirected_grants WHERE recipient_id = @from
        UNION ALL ${togetherOf('@from')})
      AND recipient_id = @from AND lower(player) = @key
      AND (cause NOT IN ('vote', 'operator') OR id IN (SELECT grant_id FROM redirected_grants))`),
    back: [
      ...TOGETHER.map(
        ([cause, table]) => `
       UPDATE ${table} SET recipient_id = @to WHERE recipient_id = @from AND id IN (
         SELECT m.id FROM ${table} m CROSS JOIN grants g ON g.cause = '${cause}' AND g.cause_id = m.id
         WHERE m.recipient_id = @from AND g.recipient_id = @to)`,
      ),
      'UPDATE top_places SET recipient_id = @to WHERE recipient_id = @from AND lower(player) = @key',
      `UPDATE redirected_grants SET recipient_id = @to
       WHERE recipient_id = @from AND grant_id IN (SELECT id FROM grants WHERE recipient_id = @to)`,
      `UPDATE OR IGNORE occasions SET recipient_id = @to WHERE recipient_id = @from AND vote_id IS NULL
       AND (reward_id, occasion) IN (SELECT reward_id, occasion FROM joined_occasions WHERE change_id = @changeId)`,
      `UPDATE OR IGNORE reached_streaks SET recipient_id = @to WHERE recipient_id = @from
       AND (reward_id, per, length, period) IN (
         SELECT reward_id, per, length, period FROM joined_streaks WHERE change_id = @changeId AND is_passed = 0)`,
      `UPDATE OR IGNORE passed_occasions SET recipient_id = @to WHERE recipient_id = @from
       AND (reward_id, occasion) IN (SELECT reward_id, occasion FROM joined_occasions WHERE change_id = @changeId)`,
      'UPDATE OR IGNORE passed_totals SET recipient_id = @to WHERE recipient_id = @from AND passed_by = @to',
    ].map((sql) => db.prepare(sql)),
    // What joining passed is open again, unless the operator gave it.
    forget: [
      `DELETE FROM occasions WHERE recipient_id = @from AND vote_id IS NULL AND (reward_id, occasion) IN (
         SELECT reward_id, occasion FROM passed_occasions
         WHERE recipient_id = @from AND change_id = @changeId AND given_id IS NULL)`,
      `DELETE FROM passed_occasions WHERE recipient_id = @from AND change_id = @changeId AND given_id IS NULL`,
      'DELETE FROM passed_totals WHERE recipient_id = @from AND change_id = @changeId',
      `DELETE FROM reached_streaks WHERE recipient_id = @from AND (reward_id, per, length, period) IN (
         SELECT reward_id, per, length, period FROM joined_streaks WHERE change_id = @changeId AND is_passed = 1)`,
    ].map((sql) => db.prepare(sql)),
  },
});
