import type { VoteStanding } from '../../rewards/condition.ts';
import type { CountScope, VotedAround, VotedDay } from '../../rewards/history.ts';
import type { Days } from '../../core/period.ts';
import type { Database } from '../../sqlite/open.ts';

/** All recipients together. */
const NETWORK = 0;
const TOTAL = 'total';
const ofService = (service: string): string => `site ${service}`;

/** A vote as far as it is counted. */
export interface CountedVote {
  readonly recipientId: number;
  readonly service: string;
  readonly day: number;
  readonly standing: VoteStanding;
}

interface DayRow {
  readonly day: number;
  readonly service: string;
  readonly counted: number;
}

/** Counts of votes and the days of votes: caches of what the votes say, written in their transactions. */
export class VoteCounts {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  add({ recipientId, service, day, standing }: CountedVote): void {
    const counted = standing === 'marked' ? 0 : 1;
    this.statements.addDay.run(recipientId, day, service, counted);
    if (counted === 0) return;
    for (const counter of [recipientId, NETWORK]) {
      this.statements.add.run(counter, TOTAL);
      this.statements.add.run(counter, ofService(service));
    }
  }

  /** Reads the days of a recipient again from the votes, after some of them got another cast time. */
  recount(recipientId: number): void {
    this.statements.forgetDays.run(recipientId);
    this.statements.fillDays.run(recipientId);
  }

  count(recipientId: number, { of, days, services }: CountScope): number {
    if (days !== undefined) {
      return sum(
        this.onDays(recipientId, days)
          .filter(({ service }) => services === undefined || services.includes(service))
          .map(({ counted }) => counted),
      );
    }
    const id = of === 'network' ? NETWORK : recipientId;
    const counts = services === undefined ? [TOTAL] : services.map(ofService);
    return sum(counts.map((each) => (this.statements.count.get(id, each) as number | undefined) ?? 0));
  }

  servicesOn(recipientId: number, days: Days): ReadonlySet<string> {
    return new Set(this.onDays(recipientId, days).map(({ service }) => service));
  }

  /** The days as they were when a vote was the last one. */
  daysUpTo(recipientId: number, { from, to }: Days, lastVote: number): VotedDay[] {
    return this.statements.daysUpTo.all({ recipientId, from, to, lastVote }) as VotedDay[];
  }

  votedDays(recipientId: number, { day, gap }: VotedAround): VotedDay[] {
    const { daysBefore, daysSince } = this.statements;
    const near = (rows: IterableIterator<unknown>) => untilGap(rows as IterableIterator<VotedDay>, day, gap);
    const earlier = near(daysBefore.iterate(recipientId, day));
    return [...earlier.reverse(), ...near(daysSince.iterate(recipientId, day))];
  }

  /** When the last counted vote before an instant was cast. */
  lastCounted(recipientId: number, before: number): number | null {
    return this.statements.lastCounted.get({ recipientId, before }) as number | null;
  }

  private onDays(recipientId: number, { from, to }: Days): DayRow[] {
    return this.statements.onDays.all(recipientId, from, to) as DayRow[];
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);

/** Rows from a day on, in the order in which they are away from it, until a gap is too long. */
function untilGap(rows: IterableIterator<VotedDay>, start: number, gap: number): VotedDay[] {
  const found: VotedDay[] = [];
  let last = start;
  for (const row of rows) {
    if (Math.abs(row.day - last) - 1 > gap) break;
    last = row.day;
    found.push(row);
  }
  return found;
}

const COUNTED = "(decision = 'rewarded' OR counts_anyway IS 1)";
const LAST = 'SELECT max(cast_at) FROM votes WHERE recipient_id = @recipientId AND cast_at < @before';

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    INSERT INTO counts (recipient_id, of, counted) VALUES (?, ?, 1)
    ON CONFLICT DO UPDATE SET counted = counted + 1`),
  addDay: db.prepare(`
    INSERT INTO voted_days (recipient_id, day, service, counted) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET counted = counted + excluded.counted`),
  count: db.prepare('SELECT counted FROM counts WHERE recipient_id = ? AND of = ?').pluck(),
  onDays: db.prepare(`
    SELECT day, service, counted FROM voted_days WHERE recipient_id = ? AND day BETWEEN ? AND ?`),
  daysBefore: db.prepare(`
    SELECT day, sum(counted) AS counted FROM voted_days
    WHERE recipient_id = ? AND day < ? GROUP BY day ORDER BY day DESC`),
  daysSince: db.prepare(`
    SELECT day, sum(counted) AS counted FROM voted_days
    WHERE recipient_id = ? AND day >= ? GROUP BY day ORDER BY day`),
  daysUpTo: db.prepare(`
    SELECT local_day AS day, sum(${COUNTED}) AS counted FROM votes
    WHERE id IN (
        SELECT id FROM votes WHERE recipient_id = @recipientId AND decision = 'rewarded'
        UNION ALL SELECT id FROM votes WHERE recipient_id = @recipientId AND decision IN ('cooldown', 'too-old'))
      AND local_day BETWEEN @from AND @to AND id <= @lastVote
    GROUP BY local_day ORDER BY local_day`),
  // For each service that the recipient has counted votes on, so that an index has the answer.
  lastCounted: db
    .prepare(`
    SELECT max(at) FROM (
      SELECT max(
        ifnull((${LAST} AND decision = 'rewarded' AND service = substr(of, 6)), -9e18),
        ifnull((${LAST} AND counts_anyway = 1 AND service = substr(of, 6)), -9e18)) AS at
      FROM counts WHERE recipient_id = @recipientId AND of LIKE 'site %')
    WHERE at > -9e18`)
    .pluck(),
  forgetDays: db.prepare('DELETE FROM voted_days WHERE recipient_id = ?'),
  fillDays: db.prepare(`
    INSERT INTO voted_days
    SELECT recipient_id, local_day, service, sum(${COUNTED}) FROM votes
    WHERE recipient_id = ? AND decision IN ('rewarded', 'cooldown', 'too-old') GROUP BY local_day, service`),
});
