import type { Clock } from '../core/clock.ts';
import { TOPS_SHOWN } from '../core/figure-template.ts';
import { localDay } from '../core/local-time.ts';
import { daysOf, periodOf } from '../core/period.ts';
import type { LedgerReader } from '../ledger/ledger.ts';
import { addVotes } from '../ledger/period-votes.ts';
import type { Publish } from '../rewards/reward.ts';
import type { Standing } from '../rewards/standings.ts';

/** The figures are at most so old. */
const FRESH_MS = 60_000;

interface Snapshot {
  readonly month: number;
  /** In monotonic time. */
  readonly readAt: number;
  readonly upTo: number;
  readonly changes: number;
  readonly sums: Map<number, Standing>;
}

/**
 * Who has how many votes in the month. New votes are added to those before, so that a look costs as much as there are new ones:
 * reading a month of 800,000 votes takes a second on the ledger's reader.
 */
export class MonthFigures {
  private snapshot: Snapshot | null = null;

  constructor(
    private readonly ledger: Pick<LedgerReader, 'standings'>,
    private readonly clock: Clock,
  ) {}

  /** By recipient. */
  async standings(entry: Pick<Publish, 'if'>, zone: string): Promise<ReadonlyMap<number, Standing>> {
    const month = periodOf('month', localDay(this.clock.now(), zone));
    const before = this.snapshot?.month === month ? this.snapshot : null;
    const readAt = this.clock.monotonic();
    if (before !== null && readAt - before.readAt < FRESH_MS) return before.sums;
    const votes = { days: daysOf('month', month), filter: entry.if, zone, exclude: [] };
    const sums = before?.sums ?? new Map<number, Standing>();
    const end = await addVotes(sums, this.ledger, votes, before?.upTo ?? null);
    this.snapshot = { month, readAt, ...end, sums };
    if (before === null || before.changes === end.changes) return sums;
    // Votes that were added before are different now.
    this.snapshot = null;
    return this.standings(entry, zone);
  }
}

/** The best ones, in order, in one pass: sorting 100,000 players would stop the main thread for a tenth of a second. */
export function best(standings: ReadonlyMap<number, Standing>): readonly Standing[] {
  const found: Standing[] = [];
  for (const each of standings.values()) {
    const last = found.at(-1);
    if (found.length === TOPS_SHOWN && last !== undefined && !isBefore(each, last)) continue;
    const at = found.findIndex((other) => isBefore(each, other));
    found.splice(at === -1 ? found.length : at, 0, each);
    if (found.length > TOPS_SHOWN) found.pop();
  }
  return found;
}

const isBefore = (one: Standing, other: Standing): boolean =>
  one.votes > other.votes || (one.votes === other.votes && one.reachedAt < other.reachedAt);

/** How many players have more votes than each number, for ranks: those with as many votes share one. */
export function ranks(standings: ReadonlyMap<number, Standing>): (votes: number) => number {
  const players = new Map<number, number>();
  for (const { votes } of standings.values()) players.set(votes, (players.get(votes) ?? 0) + 1);
  const sorted = [...players].sort(([one], [other]) => other - one);
  return (votes) => 1 + sorted.filter(([more]) => more > votes).reduce((sum, [, many]) => sum + many, 0);
}
