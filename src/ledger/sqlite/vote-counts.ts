import type { Days } from '../../core/period.ts';
import type { VoteStanding } from '../../rewards/condition.ts';
import type { CountedDay, CountScope, VotedAround } from '../../rewards/history.ts';
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
    this.mark(recipientId, day);
    if (counted === 0) return;
    this.statements.add.run({ recipientId, ofService: ofService(service) });
  }

  /** Reads the days of a recipient again from the votes, after some of them got another cast time. */
  recount(recipientId: number): void {
    this.statements.forgetDays.run(recipientId);
    this.statements.fillDays.run(recipientId);
    this.statements.forgetRuns.run(recipientId);
    this.statements.fillRuns.run(recipientId);
  }

  /** Adds a day to the runs of days with a vote, which may join two of them. */
  private mark(recipientId: number, day: number): void {
    const { runBefore, runStarting, storeRun, forgetRun } = this.statements;
    const before = runBefore.get(recipientId, day) as Days | undefined;
    if (before !== undefined && before.to >= day) return;
    const after = runStarting.get(recipientId, day + 1) as Days | undefined;
    if (after !== undefined) forgetRun.run(recipientId, after.from);
    const from = before?.to === day - 1 ? before.from : day;
    storeRun.run(recipientId, from, after?.to ?? day);
  }

  count(recipientId: number, { of, days, services }: CountScope): number {
    if (days !== undefined && services === undefined) {
      return (this.statements.sumOn.get(recipientId, days.from, days.to) as number | null) ?? 0;
    }
    if (days !== undefined) {
      return sum(
        this.onDays(recipientId, days)
          .filter(({ service }) => services?.includes(service))
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
  countedUpTo(recipientId: number, { from, to }: Days, lastVote: number): CountedDay[] {
    return this.statements.daysUpTo.all({ recipientId, from, to, lastVote }) as CountedDay[];
  }

  votedRuns(recipientId: number, { day, gap }: VotedAround): Days[] {
    const { runsFrom, runsAfter } = this.statements;
    const earlier = untilGap(runsFrom.iterate(recipientId, day), day, gap);
    const end = Math.max(day, earlier[0]?.to ?? day);
    return [...earlier.reverse(), ...untilGap(runsAfter.iterate(recipientId, day), end, gap)];
  }

  longestRun(recipientId: number): number {
    return (this.statements.longestRun.get(recipientId) as number | null) ?? 0;
  }

  countedOn(recipientId: number, { from, to }: Days): CountedDay[] {
    return this.statements.countedOn.all(recipientId, from, to) as CountedDay[];
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

/** Runs from a day on, in the order in which they are away from it, until a gap is too long. */
function untilGap(runs: IterableIterator<unknown>, start: number, gap: number): Days[] {
  const found: Days[] = [];
  let last: Days = { from: start, to: start };
  for (const run of runs as IterableIterator<Days>) {
    if (Math.max(run.from - last.to, last.from - run.to) - 1 > gap) break;
    last = run;
    found.push(run);
  }
  return found;
}

/** The runs of consecutive days in `voted_days`. */
export const RUNS_OF = (where: string): string => `
  SELECT recipient_id, min(day), max(day) FROM (
    SELECT recipient_id, day, day - row_number() OVER (PARTITION BY recipient_id ORDER BY day) AS run
    FROM (SELECT DISTINCT recipient_id, day FROM voted_days ${where}))
  GROUP BY recipient_id, run`;

const COUNTED = "(decision = 'rewarded' OR counts_anyway IS 1)";
const LAST = 'SELECT max(cast_at) FROM votes WHERE recipient_id = @recipientId AND cast_at < @before';

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    INSERT INTO counts (recipient_id, of, counted)
    VALUES (@recipientId, '${TOTAL}', 1), (@recipientId, @ofService, 1), (${NETWORK}, '${TOTAL}', 1), (${NETWORK}, @ofService, 1)
    ON CONFLICT DO UPDATE SET counted = counted + 1`),
  addDay: db.prepare(`
    INSERT INTO voted_days (recipient_id, day, service, counted) VALUES (?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET counted = counted + excluded.counted`),
  count: db.prepare('SELECT counted FROM counts WHERE recipient_id = ? AND of = ?').pluck(),
  longestRun: db
    .prepare('SELECT max(last_day - first_day + 1) FROM voted_runs WHERE recipient_id = ?')
    .pluck(),
  onDays: db.prepare(`
    SELECT day, service, counted FROM voted_days WHERE recipient_id = ? AND day BETWEEN ? AND ?`),
  runsFrom: db.prepare(`
    SELECT first_day AS "from", last_day AS "to" FROM voted_runs
    WHERE recipient_id = ? AND first_day <= ? ORDER BY first_day DESC`),
  runsAfter: db.prepare(`
    SELECT first_day AS "from", last_day AS "to" FROM voted_runs
    WHERE recipient_id = ? AND first_day > ? ORDER BY first_day`),
  runBefore: db.prepare(`
    SELECT first_day AS "from", last_day AS "to" FROM voted_runs
    WHERE recipient_id = ? AND first_day <= ? ORDER BY first_day DESC LIMIT 1`),
  runStarting: db.prepare(`
    SELECT first_day AS "from", last_day AS "to" FROM voted_runs WHERE recipient_id = ? AND first_day = ?`),
  storeRun: db.prepare(`
    INSERT INTO voted_runs (recipient_id, first_day, last_day) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET last_day = excluded.last_day`),
  forgetRun: db.prepare('DELETE FROM voted_runs WHERE recipient_id = ? AND first_day = ?'),
  forgetRuns: db.prepare('DELETE FROM voted_runs WHERE recipient_id = ?'),
  fillRuns: db.prepare(`INSERT INTO voted_runs ${RUNS_OF('WHERE recipient_id = ?')}`),
  sumOn: db
    .prepare('SELECT sum(counted) FROM voted_days WHERE recipient_id = ? AND day BETWEEN ? AND ?')
    .pluck(),
  countedOn: db.prepare(`
    SELECT day, sum(counted) AS counted FROM voted_days
    WHERE recipient_id = ? AND day BETWEEN ? AND ? GROUP BY day ORDER BY day`),
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
