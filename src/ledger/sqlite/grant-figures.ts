import type { Database } from '../../platform/sqlite/open.ts';
import type { IdRange, PaidTimes, RewardSum } from '../figure-reader.ts';
import { firstAt } from './first-at.ts';
import { grantCode } from './stored-reason.ts';

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

  paidTimes(grants: IdRange): PaidTimes {
    const rows = this.statements.paid.all(grants) as (readonly [took: number, isAtOnce: 0 | 1 | null])[];
    const of = (which: 0 | 1): number[] => rows.filter((row) => row[1] === which).map(([took]) => took);
    const [atOnce, withPlayer] = [of(1), of(0)];
    return { atOnce, withPlayer, leftOut: rows.length - atOnce.length - withPlayer.length };
  }
}

export const rewardSumsSql = `
  SELECT reward, count(*) AS grants, sum(state = 'delivered') AS delivered
  FROM grants WHERE id BETWEEN @from AND @to GROUP BY 1`;

const BY_OPERATOR = `reason IN (${grantCode('marked-paid')}, ${grantCode('ran-by-operator')})`;

export const paidTimesSql = `
  SELECT max(0, changed_at - ifnull(due_from, created_at)),
         iif(${BY_OPERATOR}, NULL, run_when = 'always')
  FROM grants WHERE id BETWEEN @from AND @to AND +state = 'delivered'`;

const prepareStatements = (db: Database) => ({
  last: db.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck(),
  createdAt: db.prepare('SELECT created_at FROM grants WHERE id = ?').pluck(),
  rewardSums: db.prepare(rewardSumsSql),
  paid: db.prepare(paidTimesSql).raw(),
});
