import type { Clock } from '../../core/clock.ts';
import { localDay } from '../../core/local-time.ts';
import { daysOf, periodOf } from '../../core/period.ts';
import type { LedgerReader } from '../../ledger/ledger.ts';
import { RunningStandings } from '../../ledger/period-votes.ts';
import type { Publish } from '../../rewards/reward.ts';
import type { Standing } from '../../rewards/standings.ts';

/** The figures are at most so old. */
const FRESH_MS = 60_000;

interface Month {
  readonly month: number;
  readonly votes: RunningStandings;
  /** In monotonic time. */
  readonly readAt: number;
}

/** Who has how many votes in the month. */
export class MonthFigures {
  private last: Month | null = null;

  constructor(
    private readonly ledger: Pick<LedgerReader, 'standings'>,
    private readonly clock: Clock,
  ) {}

  /** By recipient. */
  async standings(entry: Pick<Publish, 'if'>, zone: string): Promise<ReadonlyMap<number, Standing>> {
    const month = periodOf('month', localDay(this.clock.now(), zone));
    const before = this.last?.month === month ? this.last : null;
    const readAt = this.clock.monotonic();
    if (before !== null && readAt - before.readAt < FRESH_MS) return before.votes.standings;
    const counted = { days: daysOf('month', month), filter: entry.if, zone, exclude: [] };
    const votes = before?.votes ?? new RunningStandings(this.ledger, counted);
    await votes.advance(Number.POSITIVE_INFINITY);
    this.last = { month, votes, readAt };
    return votes.standings;
  }
}

/** How many players have more votes than each number, for ranks: those with as many votes share one. */
export function ranks(standings: ReadonlyMap<number, Standing>): (votes: number) => number {
  const players = new Map<number, number>();
  for (const { votes } of standings.values()) players.set(votes, (players.get(votes) ?? 0) + 1);
  const sorted = [...players].sort(([one], [other]) => other - one);
  return (votes) => 1 + sorted.filter(([more]) => more > votes).reduce((sum, [, many]) => sum + many, 0);
}
