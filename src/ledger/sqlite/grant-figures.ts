import type { Database } from '../../platform/sqlite/open.ts';
import type { IdRange, RewardSum } from '../figure-reader.ts';
import { firstAt } from './first-at.ts';

/** Sums of grants, for figures. */
export class GrantFigures {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  firsts(times: readonly number[]): number[] {
    const { last, createdAt } = this.statements;
    return firstAt(times, last.get() as number, (id) => createdAt.get(id) as number);
  }

  rewardSums(grants: IdRange): RewardSum[] {
    return this.statements.rewardSums.all(grants) as RewardSum[];
  }
}

const rewardSumsSql = `
  SELECT reward, count(*) AS grants, sum(state = 'delivered') AS delivered
  FROM grants WHERE id BETWEEN @from AND @to GROUP BY 1`;

const prepareStatements = (db: Database) => ({
  last: db.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck(),
  createdAt: db.prepare('SELECT created_at FROM grants WHERE id = ?').pluck(),
  rewardSums: db.prepare(rewardSumsSql),
});
