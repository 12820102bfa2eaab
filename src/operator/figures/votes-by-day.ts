import { HOUR_MS } from '../../core/duration.ts';
import { instantOf, localDay } from '../../core/local-time.ts';
import { periodName } from '../../core/period.ts';
import type { IdRange, Ledger, VoteSum } from '../../ledger/ledger.ts';

/** What was received on a local day. */
export interface VotesOfDay extends Day {
  readonly sums: readonly VoteSum[];
  /** Whether every vote of the day is in the sums: many votes are read in parts, the latest first. */
  readonly isWhole: boolean;
}

export interface VotesByDayValue {
  /** The IANA name of the time zone in which days begin. */
  readonly zone: string;
  /** Oldest first; the last one is not over. */
  readonly days: readonly VotesOfDay[];
}

interface Day {
  /** `2026-11-21` */
  readonly day: string;
  readonly start: number;
  /** Not part of it. */
  readonly end: number;
}

interface DayOfRows extends Day {
  readonly ids: IdRange;
}

/** What is read of a day's votes. */
interface Counted {
  readonly from: number;
  /** The next vote to read. */
  readonly next: number;
  readonly sums: readonly VoteSum[];
}

const DAYS = 90;
/** So many votes are summed for one page; reading them takes some 30 ms. The next page goes on with older ones. */
const VOTES_AT_ONCE = 20_000;
/** So many are summed with one call, which takes some ms. */
const VOTES_OF_CALL = 5_000;

/**
 * Votes of the last days by site and decision. The votes of a day that is over stay as they are, so each vote is read once,
 * and a page costs what came since.
 */
export class VotesByDay {
  private days: { readonly key: string; readonly found: readonly Day[] } = { key: '', found: [] };
  /** The first votes of times that are long past. */
  private readonly firsts = new Map<number, number>();
  private counted = new Map<number, Counted>();
  private changes: number | null = null;

  constructor(private readonly ledger: Ledger) {}

  /** @param most ends the reading after so many votes: earlier days are not whole then. */
  async at(now: number, most: number = VOTES_AT_ONCE): Promise<VotesByDayValue> {
    const zone = await this.ledger.timeZone();
    await this.forgetChanged();
    const days = await this.rowsOf(this.lastDays(now, zone), now);
    const starts = new Set(days.map(({ start }) => start));
    for (const start of this.counted.keys()) if (!starts.has(start)) this.counted.delete(start);
    await this.fill(days, most);
    return {
      zone,
      days: days.map(({ ids, ...day }) => {
        const { next, sums } = this.countedOf({ ids, ...day });
        return { ...day, sums, isWhole: next > ids.to };
      }),
    };
  }

  /** Votes that are decided again, which is rare, belong to other sums. */
  private async forgetChanged(): Promise<void> {
    const changes = await this.ledger.decisionChanges();
    if (this.changes !== null && this.changes !== changes) this.counted = new Map();
    this.changes = changes;
  }

  /** Found once a day: to find 90 midnights takes some ms. */
  private lastDays(now: number, zone: string): readonly Day[] {
    const first = localDay(now, zone) - DAYS + 1;
    const key = `${zone} ${first}`;
    if (this.days.key !== key) {
      const midnights = Array.from({ length: DAYS + 1 }, (_, at) =>
        instantOf({ day: first + at, minute: 0 }, zone),
      );
      const found = midnights.slice(1).map((end, at) => {
        return { day: periodName('day', first + at), start: midnights[at] ?? end, end };
      });
      this.days = { key, found };
    }
    return this.days.found;
  }

  /** Where the days begin among the votes of the ledger. */
  private async rowsOf(days: readonly Day[], now: number): Promise<readonly DayOfRows[]> {
    const times = [...days.map(({ start }) => start), ...days.slice(-1).map(({ end }) => end)];
    const missing = times.filter((time) => !this.firsts.has(time));
    const found = await this.ledger.firstVotes(missing);
    const asked = new Map(missing.map((time, at) => [time, found[at] ?? 1]));
    let least = 1;
    const firsts = times.map((time) => {
      least = Math.max(least, this.firsts.get(time) ?? asked.get(time) ?? least);
      return least;
    });
    for (const time of this.firsts.keys()) if (time < (times[0] ?? now)) this.firsts.delete(time);
    // Votes may still be written with the times of the last hour, if the clock is set back a little.
    for (const [time, id] of asked) if (time < now - HOUR_MS) this.firsts.set(time, id);
    return days.map((day, at) => {
      const [from = 1, next = from] = firsts.slice(at, at + 2);
      return { ...day, ids: { from, to: next - 1 } };
    });
  }

  /** Reads what is missing, the latest days first. */
  private async fill(days: readonly DayOfRows[], most: number): Promise<void> {
    let read = 0;
    for (const day of days.toReversed())
      while (read < most && this.countedOf(day).next <= day.ids.to)
        read += await this.readMore(day, Math.min(VOTES_OF_CALL, most - read));
  }

  /** @returns how many were read. */
  private async readMore(day: DayOfRows, most: number): Promise<number> {
    const { counted } = this;
    const { from, next, sums } = this.countedOf(day);
    const votes = { from: next, to: Math.min(day.ids.to, next + most - 1) };
    const more = await this.ledger.voteSums(votes);
    // Another page may have read the same votes meanwhile, or the sums were forgotten.
    if (this.counted === counted && this.countedOf(day).next === next)
      counted.set(day.start, { from, next: votes.to + 1, sums: together([...sums, ...more]) });
    return votes.to - votes.from + 1;
  }

  private countedOf({ start, ids }: DayOfRows): Counted {
    const counted = this.counted.get(start);
    return counted?.from === ids.from ? counted : { from: ids.from, next: ids.from, sums: [] };
  }
}

/** Sums of the same site and decision are added. */
function together(parts: readonly VoteSum[]): readonly VoteSum[] {
  const sums = new Map<string, VoteSum>();
  for (const part of parts) {
    const key = JSON.stringify([part.site, part.decision]);
    sums.set(key, { ...part, votes: (sums.get(key)?.votes ?? 0) + part.votes });
  }
  return [...sums.values()];
}
