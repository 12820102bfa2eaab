import type { Config } from '../../config/config.ts';
import { localDay } from '../../core/local-time.ts';
import { daysOf, PERS, type Per, periodName, periodOf } from '../../core/period.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Top } from '../../rewards/reward.ts';
import { best, type Placed, placed, placesOf, RunningStandings } from '../../rewards/together.ts';

export interface PublicPlace {
  readonly place: number;
  /** null: a user ID. */
  readonly player: string | null;
  readonly votes: number;
}

/** The best of the present day, week or month. */
export interface RunningTop {
  /** The name of its entry in `tops`; null: all counted votes, because no entry has such periods. */
  readonly top: string | null;
  readonly per: Per;
  /** Such as `2026-11`. */
  readonly period: string;
  readonly places: readonly PublicPlace[];
}

/** All counted votes of such periods, without the players whom any top excludes. */
interface AllVotes extends Pick<Top, 'period' | 'exclude' | 'if'> {
  readonly name: null;
}

interface Counting {
  readonly period: number;
  readonly votes: RunningStandings;
}

type Tops = Config['tops'];

/**
 * The tops of the present day, week and month: those of the config, and all votes where it has none. Names and counts
 * only. A look costs as much as there are new votes.
 */
export class RunningTops {
  private tops: Tops | null = null;
  private lists: readonly (Top | AllVotes)[] = [];
  private readonly counting = new Map<Top | AllVotes, Counting>();

  /** @param limit how many places each has. */
  constructor(
    private readonly ledger: Pick<Ledger, 'timeZone' | 'standings'>,
    private readonly limit: number,
  ) {}

  async at(now: number, tops: Tops): Promise<readonly RunningTop[]> {
    this.use(tops);
    const zone = await this.ledger.timeZone();
    const found: RunningTop[] = [];
    for (const list of this.lists) {
      const period = periodOf(list.period, localDay(now, zone));
      const places = (await this.placesOf(list, period, zone)).map(publicPlace);
      found.push({ top: list.name, per: list.period, period: periodName(list.period, period), places });
    }
    return found;
  }

  private use(tops: Tops): void {
    if (tops === this.tops) return;
    const exclude = [...new Set(tops.flatMap((top) => top.exclude))];
    this.tops = tops;
    this.lists = PERS.flatMap((per): readonly (Top | AllVotes)[] => {
      const own = tops.filter(({ period }) => period === per);
      return own.length === 0 ? [{ name: null, period: per, exclude, if: {} }] : own;
    });
    this.counting.clear();
  }

  private async placesOf(list: Top | AllVotes, period: number, zone: string): Promise<readonly Placed[]> {
    const { votes } = this.countingOf(list, period, zone);
    await votes.advance();
    const standings = votes.standings.values();
    return list.name === null
      ? placed(best(standings, this.limit), 'first')
      : placesOf(list, standings, this.limit);
  }

  private countingOf(list: Top | AllVotes, period: number, zone: string): Counting {
    const before = this.counting.get(list);
    if (before?.period === period) return before;
    const counted = { days: daysOf(list.period, period), filter: list.if, zone, exclude: list.exclude };
    const votes = new RunningStandings((after) => this.ledger.standings({ ...counted, after }));
    const counting = { period, votes };
    this.counting.set(list, counting);
    return counting;
  }
}

const publicPlace = ({ place, player, votes }: Placed): PublicPlace => ({ place, player, votes });
