import type { Days } from '../../core/period.ts';
import type { Database } from '../../platform/sqlite/open.ts';
import type { VotedAround } from '../../rewards/history.ts';
import { joinedRows } from '../../rewards/streaks.ts';
import { importedDays, namesOf } from './balances.ts';
import { MARKS } from './counted.ts';

/** What nearly every condition needs of a recipient, read at once. */
export interface RecipientRow {
  readonly recipientId: number;
  /** How many votes count in totals. */
  readonly counted: number;
  /** The latest run of days with a vote; null without a vote. */
  readonly latest: Days | null;
  /** The services of the last of these days, as `servicesIn` reads them; null if they are only in the votes. */
  readonly services: string | null;
  /** The last day of the latest period for which counts were imported; null if there is none. */
  readonly balanceUntil: number | null;
}

/** A vote as far as its recipient's row depends on it. */
export interface VotedDay {
  readonly recipientId: number;
  readonly service: string;
  readonly day: number;
  /** 1 if it counts in totals. */
  readonly counted: 0 | 1;
}

/** Each service has one before and after it, so that a search for one finds no part of another. */
const MARK = '\n';
/** Beyond so many characters, a player's services of a day are read from the votes, so that the row stays small. */
const SERVICES_MAX = 2_000;

/** The service names of a `RecipientRow`. */
export const servicesIn = (stored: string): string[] => stored.slice(1, -1).split(MARK);

/** null for a name that would read as two. */
const marked = (service: string): string | null =>
  service.includes(MARK) ? null : `${MARK}${service}${MARK}`;

/**
 * The runs of consecutive days on which recipients voted. The latest one is in the recipient's row, which nearly every
 * vote lengthens or leaves alone, and the others are in `voted_runs`.
 */
export class VotedRuns {
  private readonly statements;

  constructor(database: Database) {
    this.statements = prepareStatements(database);
  }

  /** Adds a vote to its recipient's total, if it counts, and its day to the runs, which may join two of them. */
  add({ recipientId, service, day, counted }: VotedDay): void {
    const latest = this.statements.add.get({ recipientId, service: marked(service), day, counted }) as Days;
    if (day > latest.to) this.begin(recipientId, day, latest);
    if (day < latest.from) this.addEarlier(recipientId, day, latest);
  }

  private begin(recipientId: number, day: number, latest: Days): void {
    this.statements.store.run(recipientId, latest.from, latest.to);
    this.statements.setLatest.run(day, day, recipientId);
  }

  private addEarlier(recipientId: number, day: number, latest: Days): void {
    const { before, starting, store, forget, setLatest } = this.statements;
    const previous = before.get(recipientId, day) as Days | undefined;
    if (previous !== undefined && previous.to >= day) return;
    const from = previous?.to === day - 1 ? previous.from : day;
    if (latest.from === day + 1) {
      forget.run(recipientId, from);
      setLatest.run(from, latest.to, recipientId);
      return;
    }
    const next = starting.get(recipientId, day + 1) as Days | undefined;
    if (next !== undefined) forget.run(recipientId, next.from);
    store.run(recipientId, from, next?.to ?? day);
  }

  /** Reads the runs of a recipient again from the votes and what was imported, where the services of the last day are read from then on. */
  recount(recipientId: number): void {
    this.statements.forgetServices.run(recipientId);
    const { forgetAll, fill, latestOf, forget, setLatest } = this.statements;
    forgetAll.run(recipientId);
    fill.run({ recipientId });
    const latest = latestOf.get(recipientId) as Days | undefined;
    if (latest !== undefined) forget.run(recipientId, latest.from);
    setLatest.run(latest?.from ?? null, latest?.to ?? null, recipientId);
  }

  /** How many days the longest run has; 0 without a vote. */
  longest(recipientId: number): number {
    return (this.statements.longest.get({ recipientId }) as number | null) ?? 0;
  }

  /** Of a recipient that the ledger does not know: no vote. */
  row(recipientId: number): RecipientRow {
    const {
      counted = 0,
      from = null,
      to = null,
      services = null,
      balanceUntil = null,
    } = (this.statements.row.get(recipientId) as Row | undefined) ?? {};
    const latest = from === null || to === null ? null : { from, to };
    return { recipientId, counted, latest, services, balanceUntil };
  }

  around({ recipientId, latest }: RecipientRow, { day, gap }: VotedAround): Days[] {
    if (latest === null) return [];
    // Between two runs there is a day without a vote at least.
    if (gap === 0 && latest.from <= day) return latest.to < day - 1 ? [] : [latest];
    const earlier = untilGap(this.fromDay(recipientId, day, latest), day, gap);
    const end = Math.max(day, earlier[0]?.to ?? day);
    return [...earlier.reverse(), ...untilGap(this.afterDay(recipientId, day, latest), end, gap)];
  }

  /** As `around`, with days that are marked besides, which may lie between runs that are apart otherwise. */
  aroundWith(recipient: RecipientRow, wanted: VotedAround, marked: readonly Days[]): Days[] {
    const near = this.around(recipient, wanted);
    const { day, gap } = wanted;
    const [from, to] = [Math.min(day, near[0]?.from ?? day), Math.max(day, near.at(-1)?.to ?? day)];
    const isNear = (each: Days): boolean => each.from - to - 1 <= gap && from - each.to - 1 <= gap;
    if (!marked.some(isNear)) return near;
    const all = joinedRows([...this.all(recipient), ...marked].toSorted((a, b) => a.from - b.from));
    const later = all.findIndex((run) => run.from > day);
    const [before, after] = later < 0 ? [all, []] : [all.slice(0, later), all.slice(later)];
    const earlier = untilGap(before.toReversed().values(), day, gap);
    const end = Math.max(day, earlier[0]?.to ?? day);
    return [...earlier.reverse(), ...untilGap(after.values(), end, gap)];
  }

  private all({ recipientId, latest }: RecipientRow): Days[] {
    const earlier = this.statements.all.all(recipientId) as Days[];
    return latest === null ? earlier : [...earlier, latest];
  }

  /** The first row alone usually ends the search, and to read one takes a third of the time of iterating. */
  private *fromDay(recipientId: number, day: number, latest: Days): IterableIterator<Days> {
    if (latest.from <= day) yield latest;
    const first = this.statements.before.get(recipientId, day) as Days | undefined;
    if (first === undefined) return;
    yield first;
    yield* this.statements.until.iterate(recipientId, first.from - 1) as IterableIterator<Days>;
  }

  private *afterDay(recipientId: number, day: number, latest: Days): IterableIterator<Days> {
    if (latest.from <= day) return;
    yield* this.statements.after.iterate(recipientId, day) as IterableIterator<Days>;
    yield latest;
  }
}

/** Runs from a day on, in the order in which they are away from it, until a gap is too long. */
function untilGap(runs: IterableIterator<Days>, start: number, gap: number): Days[] {
  const found: Days[] = [];
  let last: Days = { from: start, to: start };
  for (const run of runs) {
    if (Math.max(run.from - last.to, last.from - run.to) - 1 > gap) break;
    last = run;
    found.push(run);
  }
  return found;
}

interface Row {
  readonly counted: number;
  readonly from: number | null;
  readonly to: number | null;
  readonly services: string | null;
  readonly balanceUntil: number | null;
}

const RUN = 'SELECT first_day AS "from", last_day AS "to" FROM voted_runs WHERE recipient_id = ?';

const prepareStatements = (db: Database) => ({
  add: db.prepare(`
    UPDATE recipients SET
      counted = counted + @counted,
      run_from = ifnull(run_from, @day),
      run_to = iif(@day = ifnull(run_to, @day - 1) + 1, @day, run_to),
      services = CASE
        WHEN @day > ifnull(run_to, @day - 1) THEN @service
        WHEN @day < run_to OR instr(services, @service) > 0 THEN services
        WHEN length(services) + length(@service) <= ${SERVICES_MAX} THEN services || substr(@service, 2) END
    WHERE id = @recipientId RETURNING run_from AS "from", run_to AS "to"`),
  row: db.prepare(
    'SELECT counted, run_from AS "from", run_to AS "to", services, balance_until AS balanceUntil FROM recipients WHERE id = ?',
  ),
  forgetServices: db.prepare('UPDATE recipients SET services = NULL WHERE id = ?'),
  setLatest: db.prepare('UPDATE recipients SET run_from = ?, run_to = ? WHERE id = ?'),
  all: db.prepare(RUN),
  until: db.prepare(`${RUN} AND first_day <= ? ORDER BY first_day DESC`),
  after: db.prepare(`${RUN} AND first_day > ? ORDER BY first_day`),
  before: db.prepare(`${RUN} AND first_day <= ? ORDER BY first_day DESC LIMIT 1`),
  starting: db.prepare(`${RUN} AND first_day = ?`),
  latestOf: db.prepare(`${RUN} ORDER BY first_day DESC LIMIT 1`),
  longest: db
    .prepare(`
    SELECT max(days) FROM (
      SELECT last_day - first_day + 1 AS days FROM voted_runs WHERE recipient_id = @recipientId
      UNION ALL SELECT run_to - run_from + 1 FROM recipients WHERE id = @recipientId
      UNION ALL SELECT best FROM imported_runs WHERE per = 'day' AND name_id IN ${namesOf('@recipientId')})`)
    .pluck(),
  store: db.prepare(`
    INSERT INTO voted_runs (recipient_id, first_day, last_day) VALUES (?, ?, ?)
    ON CONFLICT DO UPDATE SET last_day = excluded.last_day`),
  forget: db.prepare('DELETE FROM voted_runs WHERE recipient_id = ? AND first_day = ?'),
  forgetAll: db.prepare('DELETE FROM voted_runs WHERE recipient_id = ?'),
  fill: db.prepare(`
    INSERT INTO voted_runs SELECT @recipientId, min(day), max(day) FROM (
      SELECT day, day - row_number() OVER (ORDER BY day) AS run
      FROM (SELECT local_day AS day FROM votes WHERE recipient_id = @recipientId AND ${MARKS}
            UNION SELECT day FROM (${importedDays('', `imported_runs WHERE name_id IN ${namesOf('@recipientId')}`)})))
    GROUP BY run`),
});
