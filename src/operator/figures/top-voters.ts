import { HOUR_MS } from '../../core/duration.ts';
import { localDay } from '../../core/local-time.ts';
import { daysOf, type Per, periodName, periodOf } from '../../core/period.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { best, RunningStandings } from '../../rewards/together.ts';

export interface TopVoter {
  /** null: a user ID. */
  readonly player: string | null;
  readonly votes: number;
}

export interface VotersOfPeriod {
  /** Such as `2026-11`. */
  readonly period: string;
  /** The one with the most votes first; of those with as many, the one who had them first. */
  readonly voters: readonly TopVoter[];
  /** Whether every vote of the period is counted: a long period is read in parts. */
  readonly isWhole: boolean;
}

export interface TopVotersValue extends Readonly<Record<Per, VotersOfPeriod>> {
  readonly total: readonly TopVoter[];
}

/** So many parts of each period are read for one page; each has 2,000 votes and takes a few milliseconds of the ledger's reader. */
const PARTS_AT_ONCE = 1;
/** Totals are read again after this time: that takes some ms for each 20,000 players. */
const TOTALS_FRESH_MS = HOUR_MS / 60;

interface Counting {
  readonly period: number;
  readonly votes: RunningStandings;
}

/** Who has the most votes of the present day, week and month, and since the beginning. All counted votes, whatever the config's tops are. */
export class TopVoters {
  private readonly counting = new Map<Per, Counting>();
  private totals: { readonly readAt: number; readonly voters: readonly TopVoter[] } | null = null;

  /** @param limit how many are shown. */
  constructor(
    private readonly ledger: Pick<Ledger, 'timeZone' | 'standings' | 'totals'>,
    private readonly limit: number,
  ) {}

  /** @param parts how much of each period is read at most. */
  async at(now: number, parts: number = PARTS_AT_ONCE): Promise<TopVotersValue> {
    const zone = await this.ledger.timeZone();
    const [day, week, month] = [
      await this.ofPeriod('day', now, zone, parts),
      await this.ofPeriod('week', now, zone, parts),
      await this.ofPeriod('month', now, zone, parts),
    ];
    return { day, week, month, total: await this.ofAll(now) };
  }

  private async ofPeriod(per: Per, now: number, zone: string, parts: number): Promise<VotersOfPeriod> {
    const period = periodOf(per, localDay(now, zone));
    const { votes } = this.countingOf(per, period, zone);
    const isWhole = await votes.advance(parts);
    const voters = best(votes.standings.values(), this.limit).map(({ player, votes }) => ({ player, votes }));
    return { period: periodName(per, period), voters, isWhole };
  }

  private countingOf(per: Per, period: number, zone: string): Counting {
    const before = this.counting.get(per);
    if (before?.period === period) return before;
    const counted = { days: daysOf(per, period), filter: {}, zone, exclude: [] };
    const votes = new RunningStandings((after) => this.ledger.standings({ ...counted, after }));
    const counting = { period, votes };
    this.counting.set(per, counting);
    return counting;
  }

  private async ofAll(now: number): Promise<readonly TopVoter[]> {
    if (this.totals !== null && Math.abs(now - this.totals.readAt) < TOTALS_FRESH_MS)
      return this.totals.voters;
    const found = await this.ledger.totals(this.limit);
    const voters = found.map(({ kind, name, votes }) => ({ player: kind === 'user' ? null : name, votes }));
    this.totals = { readAt: now, voters };
    return voters;
  }
}
