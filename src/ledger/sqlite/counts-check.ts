import type { Database } from '../../platform/sqlite/open.ts';
import type { CountsPage } from '../ledger.ts';
import { Balances, balanceUntil, IS_WRONG, importedDays } from './balances.ts';
import { COUNTED, MARKS } from './counted.ts';
import { JoinedRows } from './joined-rows.ts';
import { COUNTED_IN_ROUND } from './party-counting.ts';
import { VoteCounts } from './vote-counts.ts';

/** Comparing so many recipients takes some milliseconds for each thousand of their votes. */
const RECIPIENTS_AT_ONCE = 1_000;

/**
 * Compares the counts that are kept beside the votes with the votes and what was imported, and counts again. The votes of a joined name belong
 * to the row of its player's history.
 */
export class CountsCheck {
  private readonly statements;
  private readonly counts: VoteCounts;
  private readonly rows: JoinedRows;
  private readonly balances: Balances;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.rows = new JoinedRows(database);
    this.counts = new VoteCounts(database);
    this.balances = new Balances(database);
  }

  /**
   * The recipients after an ID whose totals, runs of days or services of the last day are not those of their votes and of what
   * was imported, or whose imported counts cannot be right.
   */
  wrong(after: number): CountsPage {
    const { upTo, wrong, last } = this.statements;
    const to = (upTo.get(after) as number | null) ?? after;
    const recipients = wrong.all({ from: after + 1, to }) as number[];
    const end = last.get() as number;
    return { recipients, upTo: to, share: end === 0 ? 1 : to / end, isLast: to >= end };
  }

  isNetworkWrong(): boolean {
    return this.statements.networkWrong.get() !== undefined;
  }

  recount(recipients: readonly number[]): void {
    for (const recipient of recipients) {
      const to = this.statements.joinedTo.get(recipient) as number | null | undefined;
      if (to != null) this.rows.repair({ from: recipient, to });
      this.balances.repair(recipient);
      this.counts.recountAll(recipient);
    }
  }

  wrongParties(): number[] {
    return this.statements.wrongParties.all() as number[];
  }

  recountParties(parties: readonly number[]): void {
    for (const party of parties) this.statements.setParty.run(party);
  }

  recountNetwork(): void {
    this.statements.forgetNetwork.run();
    this.statements.fillNetwork.run();
  }
}

const IN_RANGE = 'recipient_id BETWEEN @from AND @to';

/** Names, with the rows of their histories. */
const HISTORIES = `(
  SELECT id AS name_id, id AS recipient_id FROM recipients WHERE id BETWEEN @from AND @to AND joined_to IS NULL
  UNION ALL SELECT id, joined_to FROM recipients WHERE joined_to BETWEEN @from AND @to)`;

/** Runs of consecutive days, from the votes and what was imported. */
const COMPUTED_RUNS = `
  SELECT recipient_id, min(day) AS first_day, max(day) AS last_day FROM (
    SELECT recipient_id, day, day - row_number() OVER (PARTITION BY recipient_id ORDER BY day) AS run
    FROM (SELECT recipient_id, local_day AS day FROM votes INDEXED BY votes_by_day WHERE ${IN_RANGE} AND ${MARKS}
          UNION SELECT recipient_id, day FROM (
            ${importedDays('recipient_id,', `${HISTORIES} JOIN imported_runs USING (name_id) WHERE true`)})))
  GROUP BY recipient_id, run`;

const STORED_RUNS = `
  SELECT recipient_id, first_day, last_day FROM voted_runs WHERE ${IN_RANGE}
  UNION ALL SELECT id, run_from, run_to FROM recipients WHERE id BETWEEN @from AND @to AND run_from IS NOT NULL`;

const COMPUTED_TOTALS = `
  SELECT recipient_id, sum(counted) FROM (
    SELECT recipient_id, ${COUNTED} AS counted FROM votes INDEXED BY votes_by_day WHERE ${IN_RANGE}
    UNION ALL SELECT recipient_id, counted FROM ${HISTORIES} JOIN balances USING (name_id) WHERE per = '')
  GROUP BY recipient_id HAVING sum(counted) > 0`;

const STORED_TOTALS =
  'SELECT id AS recipient_id, counted FROM recipients WHERE id BETWEEN @from AND @to AND counted <> 0';

/** The recipients of rows that are in one of two tables only. */
const differing = (one: string, other: string): string => `
  SELECT recipient_id FROM (SELECT * FROM (${one}) EXCEPT SELECT * FROM (${other}))
  UNION SELECT recipient_id FROM (SELECT * FROM (${other}) EXCEPT SELECT * FROM (${one}))`;

const ON_LAST_DAY = `FROM votes INDEXED BY votes_by_day WHERE recipient_id = r.id AND local_day = r.run_to AND ${MARKS}`;

/** Those whose services of the last day are stored, but are not those of its votes. */
const WRONG_SERVICES = `
  SELECT id FROM recipients r
  WHERE id BETWEEN @from AND @to AND services IS NOT NULL
    AND (EXISTS (SELECT 1 ${ON_LAST_DAY} AND instr(r.services, char(10) || service || char(10)) = 0)
      OR length(services) IS NOT (SELECT 1 + sum(length(service) + 1) FROM (SELECT DISTINCT service ${ON_LAST_DAY})))`;

/** Joined names that have votes of their own. */
const LEFT_BEHIND = `
  SELECT id FROM recipients r WHERE id BETWEEN @from AND @to AND joined_to IS NOT NULL
    AND EXISTS (SELECT 1 FROM votes INDEXED BY votes_by_day WHERE recipient_id = r.id)`;

const WRONG_BALANCES = `SELECT recipient_id FROM ${HISTORIES} JOIN balances USING (name_id) WHERE ${IS_WRONG}`;

/** Those whose imported counts of periods would not be read, or would be looked for in vain. */
const WRONG_UNTIL = `
  SELECT id FROM recipients r WHERE id BETWEEN @from AND @to AND balance_until IS NOT ${balanceUntil('r.id')}`;

const COMPUTED_NETWORK = `
  SELECT 'site ' || service AS of, count(*) AS counted FROM votes WHERE ${COUNTED} GROUP BY service
  UNION ALL SELECT 'total', count(*) FROM votes WHERE ${COUNTED} HAVING count(*) > 0`;

const STORED_NETWORK = 'SELECT of, counted FROM network_counts WHERE counted <> 0';

/** How many votes since the last party have counted for the next one, as stored with them. */
const COMPUTED_PARTY = `(SELECT count(*) FROM votes v WHERE ${COUNTED_IN_ROUND})`;

const prepareStatements = (db: Database) => ({
  upTo: db
    .prepare(
      `SELECT max(id) FROM (SELECT id FROM recipients WHERE id > ? ORDER BY id LIMIT ${RECIPIENTS_AT_ONCE})`,
    )
    .pluck(),
  last: db.prepare('SELECT ifnull(max(id), 0) FROM recipients').pluck(),
  wrong: db
    .prepare(`
    SELECT recipient_id FROM (${differing(STORED_TOTALS, COMPUTED_TOTALS)})
    UNION SELECT recipient_id FROM (${differing(STORED_RUNS, COMPUTED_RUNS)})
    UNION ${WRONG_SERVICES}
    UNION ${LEFT_BEHIND}
    UNION ${WRONG_BALANCES}
    UNION ${WRONG_UNTIL}
    ORDER BY recipient_id`)
    .pluck(),
  networkWrong: db.prepare(`
    SELECT 1 FROM (
      SELECT * FROM (SELECT * FROM (${STORED_NETWORK}) EXCEPT SELECT * FROM (${COMPUTED_NETWORK}))
      UNION ALL SELECT * FROM (SELECT * FROM (${COMPUTED_NETWORK}) EXCEPT SELECT * FROM (${STORED_NETWORK})))
    LIMIT 1`),
  joinedTo: db.prepare('SELECT joined_to FROM recipients WHERE id = ?').pluck(),
  wrongParties: db.prepare(`SELECT reward_id FROM parties p WHERE counted <> ${COMPUTED_PARTY}`).pluck(),
  setParty: db.prepare(`UPDATE parties AS p SET counted = ${COMPUTED_PARTY} WHERE reward_id = ?`),
  forgetNetwork: db.prepare('DELETE FROM network_counts'),
  fillNetwork: db.prepare(`INSERT INTO network_counts (of, counted) ${COMPUTED_NETWORK}`),
});
