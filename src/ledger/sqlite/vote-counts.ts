import { type Days, daysOf } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { VoteStanding } from '../../rewards/condition.ts';
import type { CountScope, CountedDay, VotedAround } from '../../rewards/history.ts';
import { Balances, balanceOf, balanceUntil } from './balances.ts';
import { COUNTED, MARKS } from './counted.ts';
import { type RecipientRow, servicesIn, VotedRuns } from './voted-runs.ts';

const TOTAL = 'total';
const ofService = (service: string): string => `site ${service}`;

/** A vote as far as it is counted. */
export interface CountedVote {
  readonly recipientId: number;
  readonly service: string;
  readonly day: number;
  readonly standing: VoteStanding;
}

/**
 * Counts and days of votes. Totals and runs of days are written in the transaction of each vote, in the
 * recipient's row; the rest is read from indexes of the votes. With a row for each count, a vote cost much more: see
 * docs/contributing/performance.md.
 */
export class VoteCounts {
  private readonly statements;
  private readonly runs: VotedRuns;
  private readonly balances: Balances;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
    this.runs = new VotedRuns(database);
    this.balances = new Balances(database);
  }

  add({ recipientId, service, day, standing }: CountedVote): void {
    const counted = standing === 'marked' ? 0 : 1;
    this.runs.add({ recipientId, service, day, counted });
    if (counted === 1) this.statements.addToNetwork.run(ofService(service));
  }

  /** Takes back what `add` did, after the vote was marked as voided. */
  remove({ recipientId, service, standing }: CountedVote): void {
    if (standing !== 'marked') {
      this.statements.removeFromTotal.run(recipientId);
      this.statements.removeFromNetwork.run(ofService(service));
    }
    this.recount(recipientId);
  }

  /** Reads the days of a recipient again from the votes, after some of them were voided or got another cast time. */
  recount(recipientId: number): void {
    this.runs.recount(recipientId);
  }

  /** Reads the total of a recipient again, too, with what was imported. */
  recountAll(recipientId: number): void {
    this.statements.setTotal.run({ recipientId });
    this.recount(recipientId);
  }

  row(recipientId: number): RecipientRow {
    return this.runs.row(recipientId);
  }

  count(recipient: RecipientRow, scope: CountScope): number {
    if (scope.of === 'network') return this.countOfNetwork(scope);
    return scope.days === undefined
      ? this.countOf(recipient, scope)
      : this.countOn(recipient, scope.days, scope);
  }

  private countOfNetwork({ services }: CountScope): number {
    const counts = services === undefined ? [TOTAL] : services.map(ofService);
    return sum(counts.map((of) => (this.statements.ofNetwork.get(of) as number | undefined) ?? 0));
  }

  private countOf({ recipientId, counted }: RecipientRow, { services }: CountScope): number {
    const { onService } = this.statements;
    return services === undefined || counted === 0
      ? counted
      : sum(services.map((service) => onService.get({ recipientId, service }) as number));
  }

  private countOn(recipient: RecipientRow, days: Days, scope: CountScope): number {
    return (
      this.votesOn(recipient, days, scope) +
      (scope.services === undefined ? this.countedElsewhere(recipient, days) : 0)
    );
  }

  /** What imports add to a period. */
  countedElsewhere({ recipientId, balanceUntil }: RecipientRow, days: Days): number {
    return balanceUntil !== null && balanceUntil >= days.from ? this.balances.on(recipientId, days) : 0;
  }

  private votesOn(recipient: RecipientRow, { from, to }: Days, { services }: CountScope): number {
    if (!mayHaveVoted(recipient, from)) return 0;
    const { sumOn, sumOnServices } = this.statements;
    const { recipientId } = recipient;
    return services === undefined
      ? (sumOn.get(recipientId, from, to) as number)
      : (sumOnServices.get(recipientId, from, to, JSON.stringify(services)) as number);
  }

  servicesOn(recipient: RecipientRow, { from, to }: Days): ReadonlySet<string> {
    const services = new Set<string>();
    for (let day = from; day <= to && mayHaveVoted(recipient, day); day++) {
      for (const service of this.servicesOfDay(recipient, day)) services.add(service);
    }
    return services;
  }

  private servicesOfDay({ recipientId, latest, services }: RecipientRow, day: number): readonly string[] {
    if (day === latest?.to && services !== null) return servicesIn(services);
    const votes = this.statements.firstOn.all(recipientId, day) as string[];
    return votes.length < FEW_VOTES
      ? votes
      : (this.statements.servicesOn.all({ recipientId, day }) as string[]);
  }

  /** The days as they were when a vote was the last one. */
  countedUpTo(recipientId: number, { from, to }: Days, lastVote: number): CountedDay[] {
    return this.statements.daysUpTo.all(recipientId, from, to, lastVote) as CountedDay[];
  }

  votedRuns(recipient: RecipientRow, around: VotedAround): Days[] {
    const { per } = around;
    const imported = per === 'day' ? [] : this.balances.runs(recipient.recipientId, per);
    if (imported.length === 0) return this.runs.around(recipient, around);
    const marked = imported.map(({ from, to }) => ({ from: daysOf(per, from).from, to: daysOf(per, to).to }));
    return this.runs.aroundWith(recipient, around, marked);
  }

  longestRun(recipientId: number): number {
    return this.runs.longest(recipientId);
  }

  countedOn(recipientId: number, days: Days): CountedDay[] {
    return this.countedUpTo(recipientId, days, Number.MAX_SAFE_INTEGER);
  }

  /** When the last counted vote before an instant was cast. */
  lastCounted({ recipientId, counted }: RecipientRow, before: number): number | null {
    if (counted === 0) return null;
    return this.statements.lastCounted.get({ recipientId, before }) as number | null;
  }
}

/** Whether the recipient voted on a day or later: the latest run ends with the last day. */
const mayHaveVoted = ({ latest }: RecipientRow, day: number): boolean => latest !== null && latest.to >= day;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

const ON_DAYS = 'FROM votes INDEXED BY votes_by_day WHERE recipient_id = ? AND local_day BETWEEN ? AND ?';
/** A zone that is changed, or puts its clocks back at midnight, gives later votes earlier days, by two at most. */
const DAYS_BACK = 2;
const LAST_DAY = `
  SELECT local_day FROM votes INDEXED BY votes_by_day
  WHERE recipient_id = @recipientId AND cast_at < @before AND ${COUNTED} ORDER BY local_day DESC LIMIT 1`;

/**
 * So few votes of one day are read quicker one by one than with a search for the next service after each. It is written into
 * the statement, because with a bound LIMIT the same takes 6 to 9 microseconds longer.
 */
const FEW_VOTES = 20;

const nextService = (after: string): string => `
  SELECT v.service FROM votes v INDEXED BY votes_by_day
  WHERE v.recipient_id = @recipientId AND v.local_day = @day AND v.service > ${after} AND ${MARKS}
  ORDER BY v.service LIMIT 1`;

const ON_SERVICE = 'recipient_id = @recipientId AND service = @service';

const prepareStatements = (db: Database) => ({
  addToNetwork: db.prepare(`
    INSERT INTO network_counts (of, counted) VALUES ('${TOTAL}', 1), (?, 1)
    ON CONFLICT DO UPDATE SET counted = counted + 1`),
  removeFromNetwork: db.prepare(
    `UPDATE network_counts SET counted = counted - 1 WHERE of IN ('${TOTAL}', ?)`,
  ),
  removeFromTotal: db.prepare('UPDATE recipients SET counted = counted - 1 WHERE id = ?'),
  setTotal: db.prepare(`
    UPDATE recipients SET
      counted = ${balanceOf('@recipientId')}
        + (SELECT ifnull(sum(${COUNTED}), 0) FROM votes INDEXED BY votes_by_day WHERE recipient_id = @recipientId),
      balance_until = ${balanceUntil('@recipientId')}
    WHERE id = @recipientId`),
  ofNetwork: db.prepare('SELECT counted FROM network_counts WHERE of = ?').pluck(),
  onService: db
    .prepare(`
    SELECT (SELECT count(*) FROM votes WHERE decision = 'rewarded' AND ${ON_SERVICE})
      - (SELECT count(*) FROM voided_votes d JOIN votes v ON v.id = d.vote_id
         WHERE d.recipient_id = @recipientId AND d.standing = 'rewarded' AND v.service = @service)
      + (SELECT count(*) FROM votes WHERE counts_anyway = 1 AND ${ON_SERVICE})`)
    .pluck(),
  sumOn: db.prepare(`SELECT ifnull(sum(${COUNTED}), 0) ${ON_DAYS}`).pluck(),
  sumOnServices: db
    .prepare(`SELECT ifnull(sum(${COUNTED}), 0) ${ON_DAYS} AND service IN (SELECT value FROM json_each(?))`)
    .pluck(),
  firstOn: db
    .prepare(`
    SELECT service FROM votes INDEXED BY votes_by_day
    WHERE recipient_id = ? AND local_day = ? AND ${MARKS} LIMIT ${FEW_VOTES}`)
    .pluck(),
  // Goes from one service to the next, so that many votes of one day on one service do not make it slower.
  servicesOn: db
    .prepare(`
    WITH RECURSIVE voted (service) AS (
      SELECT (${nextService("''")}) UNION ALL SELECT (${nextService('voted.service')}) FROM voted WHERE service IS NOT NULL)
    SELECT service FROM voted WHERE service IS NOT NULL`)
    .pluck(),
  daysUpTo: db.prepare(`
    SELECT local_day AS day, sum(${COUNTED}) AS counted ${ON_DAYS} AND ${MARKS} AND id <= ?
    GROUP BY local_day ORDER BY local_day`),
  lastCounted: db
    .prepare(`
    SELECT max(cast_at) FROM votes INDEXED BY votes_by_day
    WHERE recipient_id = @recipientId AND local_day >= (${LAST_DAY}) - ${DAYS_BACK}
      AND cast_at < @before AND ${COUNTED}`)
    .pluck(),
});
