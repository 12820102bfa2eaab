import type { Days } from '../../core/period.ts';
import { atMost } from '../../platform/sqlite/at-most.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { CountScope, CountedDay } from '../../rewards/history.ts';
import { COUNTED } from './counted.ts';
import type { KnownReward } from './known-rewards.ts';
import type { VoteCounts } from './vote-counts.ts';

/** Where in the ledger a reward starts. */
type Start = Pick<KnownReward, 'afterVote' | 'afterVoid' | 'afterListed'>;

/** What a recipient had reached when a reward started, also if votes were voided since. */
export class CountsAtStart {
  private readonly statements;

  constructor(
    database: Database,
    private readonly counts: VoteCounts,
  ) {
    this.statements = prepareStatements(database);
  }

  /** Whether the recipient has lost votes since then that were recorded before. */
  isReduced(recipientId: number, start: Start): boolean {
    return this.statements.isReduced.get({ recipientId, ...start }) === 1;
  }

  countedOn(recipientId: number, days: Days, start: Start): CountedDay[] {
    const kept = this.counts.countedUpTo(recipientId, days, start.afterVote);
    const voided = this.statements.voidedOn.all({ recipientId, ...days, ...start }) as CountedDay[];
    const listed = this.statements.listedOn.all({ recipientId, ...days, ...start }) as CountedDay[];
    return voided.length + listed.length === 0 ? kept : added(added(kept, voided), listed);
  }

  /**
   * Whether the next vote that counts would only make a count reach what it had reached by then: since then, no more
   * votes were added to it than were voided of those before.
   */
  isReachedAgain(recipientId: number, { of, days, services }: CountScope, start: Start): boolean {
    const { voided, addedSince } = this.statements[of];
    const scope = {
      recipientId,
      ...{ from: days?.from ?? Number.MIN_SAFE_INTEGER, to: days?.to ?? Number.MAX_SAFE_INTEGER },
      services: services === undefined ? null : JSON.stringify(services),
      ...start,
    };
    const lost = voided.get(scope) as number;
    return lost > 0 && (addedSince.get({ ...scope, lost }) as number) < lost;
  }
}

/** Days with their votes added up, oldest first. */
function added(kept: readonly CountedDay[], voided: readonly CountedDay[]): CountedDay[] {
  const days = new Map(kept.map(({ day, counted }) => [day, counted]));
  for (const { day, counted } of voided) days.set(day, (days.get(day) ?? 0) + counted);
  return [...days].map(([day, counted]) => ({ day, counted })).sort((one, other) => one.day - other.day);
}

const WAS_COUNTED = "d.standing IN ('rewarded', 'counted')";
/** The votes that were recorded before a reward started, and voided since. */
const LOST = `
  FROM voided_votes d JOIN votes v ON v.id = d.vote_id
  WHERE d.vote_id <= @afterVote AND d.id > @afterVoid`;
const IN_SCOPE = `
  v.local_day BETWEEN @from AND @to AND (@services IS NULL OR v.service IN (SELECT value FROM json_each(@services)))`;
/** The votes of a recipient, from indexes. */
const OWN = `
  v.id IN (
    SELECT id FROM votes WHERE recipient_id = @recipientId AND decision = 'rewarded'
    UNION ALL SELECT id FROM votes WHERE recipient_id = @recipientId AND decision <> 'rewarded')`;

/** It stops at as many votes as were lost, so it is quick although it is not counted in advance. */
const statementsOf = (db: Database, isOwnLost: string, isOwn: string) => ({
  voided: db.prepare(`SELECT count(*) ${LOST} AND ${WAS_COUNTED} AND ${IN_SCOPE} ${isOwnLost}`).pluck(),
  addedSince: db
    .prepare(`
    SELECT count(*) FROM (
      SELECT 1 FROM votes v WHERE v.id > @afterVote AND ${COUNTED} AND ${IN_SCOPE} ${isOwn} ${atMost('@lost')})`)
    .pluck(),
});

const prepareStatements = (db: Database) => ({
  recipient: statementsOf(db, 'AND d.recipient_id = @recipientId', `AND ${OWN}`),
  network: statementsOf(db, '', ''),
  isReduced: db.prepare(`SELECT EXISTS (SELECT 1 ${LOST} AND d.recipient_id = @recipientId)`).pluck(),
  voidedOn: db.prepare(`
    SELECT v.local_day AS day, sum(${WAS_COUNTED}) AS counted ${LOST} AND d.standing IS NOT NULL
      AND d.recipient_id = @recipientId AND v.local_day BETWEEN @from AND @to
    GROUP BY v.local_day`),
  // Votes of those before that were decided again later: they had marked their days, and were not counted yet.
  listedOn: db.prepare(`
    SELECT v.local_day AS day, -sum(${COUNTED}) AS counted FROM listed_votes l JOIN votes v ON v.id = l.vote_id
    WHERE l.recipient_id = @recipientId AND l.id > @afterListed AND v.id <= @afterVote
      AND v.local_day BETWEEN @from AND @to
    GROUP BY v.local_day`),
});
