import type { Days } from '../../core/period.ts';
import type { Database } from '../../sqlite/open.ts';

/** The rows of the names of a history; none for a name that is joined to another one. */
export const namesOf = (historyId: string): string =>
  `(SELECT id FROM recipients WHERE id = ${historyId} AND joined_to IS NULL UNION ALL SELECT id FROM recipients WHERE joined_to = ${historyId})`;

/** What balances add to the total of a history. */
export const balanceOf = (historyId: string): string =>
  `(SELECT ifnull(sum(counted), 0) FROM balances WHERE name_id IN ${namesOf(historyId)} AND per = '')`;

/** The days that imports mark, of the runs that a condition chooses, with columns of their rows. */
export const importedDays = (columns: string, from: string): string => `
  WITH RECURSIVE marked AS (
    SELECT ${columns} first_day AS day, last_day FROM ${from} AND first_day IS NOT NULL
    UNION ALL SELECT ${columns} day + 1, last_day FROM marked WHERE day < last_day)
  SELECT ${columns} day FROM marked`;

/** Votes that another plugin counted before Teller ran, without their times. The caller holds the transaction. */
export class Balances {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** What they add to a period. */
  on(historyId: number, { from, to }: Days): number {
    return this.statements.on.get({ historyId, from, to }) as number;
  }

  /** The days that are marked, oldest first. */
  days(historyId: number): readonly number[] {
    return this.statements.days.all({ historyId }) as number[];
  }

  /** A vote turns up that the plugin had counted: it is one less without a time. */
  turnsUp(historyId: number, castAt: number, day: number): void {
    for (const row of this.statements.including.all({ historyId, castAt, day }) as Row[]) {
      this.statements.takeOne.run(row);
      if (row.per === '') this.statements.takeFromTotal.run(historyId);
    }
  }
}

interface Row {
  readonly nameId: number;
  readonly source: string;
  readonly service: string;
  readonly per: string;
  readonly fromDay: number;
}

const prepareStatements = (db: Database) => ({
  on: db
    .prepare(`
    SELECT ifnull(sum(counted), 0) FROM balances
    WHERE name_id IN ${namesOf('@historyId')} AND per <> '' AND from_day = @from AND to_day = @to`)
    .pluck(),
  days: db
    .prepare(
      `SELECT DISTINCT day FROM (${importedDays('', `balance_runs WHERE name_id IN ${namesOf('@historyId')}`)}) ORDER BY day`,
    )
    .pluck(),
  // Of several sources, the one that was read first after the vote had counted it.
  including: db.prepare(`
    SELECT name_id AS nameId, source, service, per, from_day AS fromDay, min(as_of) FROM balances
    WHERE name_id IN ${namesOf('@historyId')} AND counted > 0 AND as_of >= @castAt
      AND (per = '' OR @day BETWEEN from_day AND to_day)
    GROUP BY per, from_day`),
  takeOne: db.prepare(`
    UPDATE balances SET counted = counted - 1
    WHERE name_id = @nameId AND source = @source AND service = @service AND per = @per AND from_day = @fromDay`),
  takeFromTotal: db.prepare('UPDATE recipients SET counted = counted - 1 WHERE id = ?'),
});
