import type { Days } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { ImportedPer } from './passed.ts';
import type { Stretch } from '../../rewards/streaks.ts';
import { COUNTED } from './counted.ts';

/** The rows of the names of a history; none for a name that is joined to another one. */
export const namesOf = (historyId: string): string =>
  `(SELECT id FROM recipients WHERE id = ${historyId} AND joined_to IS NULL UNION ALL SELECT id FROM recipients WHERE joined_to = ${historyId})`;

/** What balances add to the total of a history. */
export const balanceOf = (historyId: string): string =>
  `(SELECT ifnull(sum(counted), 0) FROM balances WHERE name_id IN ${namesOf(historyId)} AND per = '')`;

/** The last day that a row with balances of periods has: of the latest of them. */
export const balanceUntil = (historyId: string): string =>
  `(SELECT max(to_day) FROM balances WHERE name_id IN ${namesOf(historyId)} AND per <> '')`;

const LAST_DAY = `
  CASE per WHEN '' THEN 0 WHEN 'day' THEN from_day WHEN 'week' THEN from_day + 6
  ELSE unixepoch(from_day * 86400, 'unixepoch', 'start of month', '+1 month') / 86400 - 1 END`;

/** Whether a balance says what no import can: that it adds more than the plugin stated, or that its period has another end. */
export const IS_WRONG = `(counted > stated OR to_day <> ${LAST_DAY})`;

/** The days that imports mark, of the runs that a condition chooses, with columns of their rows. */
export const importedDays = (columns: string, from: string): string => `
  WITH RECURSIVE marked AS (
    SELECT ${columns} first AS day, last FROM ${from} AND per = 'day' AND first IS NOT NULL
    UNION ALL SELECT ${columns} day + 1, last FROM marked WHERE day < last)
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

  /** Corrects those that say what no import can. */
  repair(historyId: number): void {
    this.statements.repair.run({ historyId });
  }

  /** The weeks or months in a row that are marked. */
  runs(historyId: number, per: ImportedPer): readonly Stretch[] {
    return this.statements.runs.all({ historyId, per }) as Stretch[];
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
      `SELECT DISTINCT day FROM (${importedDays('', `imported_runs WHERE name_id IN ${namesOf('@historyId')}`)}) ORDER BY day`,
    )
    .pluck(),
  runs: db.prepare(`
    SELECT first AS "from", last AS "to" FROM imported_runs
    WHERE name_id IN ${namesOf('@historyId')} AND per = @per AND first IS NOT NULL`),
  // Of several sources, the one that was read first after the vote had counted it.
  including: db.prepare(`
    SELECT name_id AS nameId, source, service, per, from_day AS fromDay, min(as_of) FROM balances
    WHERE name_id IN ${namesOf('@historyId')} AND counted > 0 AND as_of >= @castAt
      AND (per = '' OR @day BETWEEN from_day AND to_day)
    GROUP BY per, from_day`),
  takeOne: db.prepare(`
    UPDATE balances SET counted = counted - 1
    WHERE name_id = @nameId AND source = @source AND service = @service AND per = @per AND from_day = @fromDay`),
  repair: db.prepare(`
    UPDATE balances AS b SET to_day = ${LAST_DAY},
      counted = iif(counted <= stated, counted, max(0, stated - (
        SELECT ifnull(sum(${COUNTED}), 0) FROM votes INDEXED BY votes_by_day
        WHERE recipient_id = @historyId AND cast_at <= b.as_of
          AND (b.per = '' OR local_day BETWEEN b.from_day AND ${LAST_DAY}))))
    WHERE name_id IN ${namesOf('@historyId')} AND ${IS_WRONG}`),
  takeFromTotal: db.prepare('UPDATE recipients SET counted = counted - 1 WHERE id = ?'),
});
