import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { IdRange, TotalsPage, VoteSum } from '../figure-reader.ts';
import { firstAt } from './first-at.ts';

/** So many recipients are read in some milliseconds. */
const RECIPIENTS_AT_ONCE = 20_000;

/** Sums of votes, for figures. */
export class VoteFigures {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  firsts(times: readonly number[]): number[] {
    const { last, receivedAt } = this.statements;
    return firstAt(times, last.get() as number, (id) => receivedAt.get(id) as number);
  }

  sums(votes: IdRange): VoteSum[] {
    return this.statements.sums.all(votes) as VoteSum[];
  }

  decisionChanges(): number {
    return this.statements.changes.get() as number;
  }

  totals(after: number, limit: number): TotalsPage {
    return {
      totals: this.statements.totals.all({ after, limit }) as TotalsPage['totals'],
      upTo: (this.statements.lastOfPage.get(after) as number | undefined) ?? null,
    };
  }
}

const voteSumsSql = `
  SELECT site, decision, count(*) AS votes FROM votes WHERE id BETWEEN @from AND @to GROUP BY 1, 2`;

const PAGE = `SELECT * FROM recipients WHERE id > @after ORDER BY id LIMIT ${RECIPIENTS_AT_ONCE}`;

// The name as the latest vote spells it. A name that is joined to another has no votes of its own.
const totalsSql = `
  SELECT id AS recipientId, kind, counted AS votes,
         ifnull((SELECT player FROM votes INDEXED BY votes_by_day WHERE recipient_id = page.id
                 ORDER BY local_day DESC LIMIT 1), key) AS name
  FROM (SELECT * FROM (${PAGE}) WHERE counted > 0 ORDER BY counted DESC, id ${atMost('@limit')}) page
  ORDER BY counted DESC, id`;

const prepareStatements = (db: Database) => ({
  last: db.prepare('SELECT ifnull(max(id), 0) FROM votes').pluck(),
  receivedAt: db.prepare('SELECT received_at FROM votes WHERE id = ?').pluck(),
  sums: db.prepare(voteSumsSql),
  changes: db
    .prepare(`
    SELECT (SELECT ifnull(max(id), 0) FROM listed_votes) + (SELECT ifnull(max(id), 0) FROM voided_votes)`)
    .pluck(),
  totals: db.prepare(totalsSql),
  lastOfPage: db
    .prepare(`SELECT id FROM recipients WHERE id > ? ORDER BY id LIMIT 1 OFFSET ${RECIPIENTS_AT_ONCE - 1}`)
    .pluck(),
});
