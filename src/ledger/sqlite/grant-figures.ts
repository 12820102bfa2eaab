import type { GrantState } from '../../core/settlement.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { IdRange, PaidTimes, RewardSum, UndeliveredSum, UndeliveredSums } from '../figure-reader.ts';
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

  undelivered(grants: IdRange, limit: number): UndeliveredSums {
    const rows = this.statements.undelivered.all({ ...grants, limit }) as (UndeliveredSum & {
      readonly oldest: number;
    })[];
    const found = rows.reduce((sum, row) => sum + row.grants, 0);
    return {
      sums: rows.map(({ oldest: _, ...sum }) => sum),
      from: found < limit ? null : Math.min(...rows.map(({ oldest }) => oldest)),
    };
  }

  paidTimes(grants: IdRange): PaidTimes {
    const rows = this.statements.paid.all(grants) as (readonly [took: number, isAtOnce: 0 | 1 | null])[];
    const of = (which: 0 | 1): number[] => rows.filter((row) => row[1] === which).map(([took]) => took);
    const [atOnce, withPlayer] = [of(1), of(0)];
    return { atOnce, withPlayer, leftOut: rows.length - atOnce.length - withPlayer.length };
  }
}

const UNDELIVERED: readonly Exclude<GrantState, 'delivered'>[] = [
  ...(['pending', 'waiting', 'held', 'refused', 'cancelled'] as const),
];

/** Each state is read in order from its part of the index, so that the newest are found without sorting the others. */
const NEWEST_UNDELIVERED = UNDELIVERED.map(
  (state) => `
    SELECT id, reward, state FROM grants
    WHERE state = '${state}' AND state <> 'delivered' AND id BETWEEN @from AND @to`,
).join(' UNION ALL ');

export const undeliveredSql = `
  SELECT reward, state, count(*) AS grants, min(id) AS oldest
  FROM (${NEWEST_UNDELIVERED} ORDER BY id DESC ${atMost('@limit')}) GROUP BY 1, 2`;

/** A vote counts once for each reward, with the first of its grants. */
export const rewardSumsSql = `
  SELECT reward, count(*) AS grants,
         sum(cause = 'vote' AND NOT EXISTS (
           SELECT 1 FROM grants e
           WHERE e.cause_id = g.cause_id AND e.cause = 'vote' AND e.reward = g.reward AND e.id < g.id)) AS votes
  FROM grants g WHERE id BETWEEN @from AND @to GROUP BY 1`;

const BY_OPERATOR = `reason IN (${grantCode('marked-paid')}, ${grantCode('ran-by-operator')})`;

export const paidTimesSql = `
  SELECT max(0, changed_at - ifnull(due_from, created_at)),
         iif(${BY_OPERATOR} OR checks ->> 'payIf' IS NOT NULL, NULL, run_when = 'always')
  FROM grants WHERE id BETWEEN @from AND @to AND +state = 'delivered'`;

const prepareStatements = (db: Database) => ({
  last: db.prepare('SELECT ifnull(max(id), 0) FROM grants').pluck(),
  createdAt: db.prepare('SELECT created_at FROM grants WHERE id = ?').pluck(),
  rewardSums: db.prepare(rewardSumsSql),
  undelivered: db.prepare(undeliveredSql),
  paid: db.prepare(paidTimesSql).raw(),
});
