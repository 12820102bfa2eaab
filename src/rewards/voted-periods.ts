/** Periods that may be missed: at most `missed` among `in` consecutive ones. */
export interface Forgiveness {
  readonly missed: number;
  readonly in: number;
}

export const NOTHING_FORGIVEN: Forgiveness = { missed: 0, in: 1 };

/** Both ends are included. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Periods voted in, oldest first, without the missed ones between them. */
export interface Run {
  readonly length: number;
  readonly first: number;
  readonly last: number;
  /** @param place from 0 to `length - 1`. */
  at(place: number): number;
}

/** Rows of periods without a gap between them: the oldest first, with a gap between two rows. */
export function rowsOf(periods: readonly number[]): readonly Stretch[] {
  return joinedRows(periods.map((period) => ({ from: period, to: period })));
}

/** Joins stretches that overlap or follow one another. @param stretches in order of their beginnings. */
export function joinedRows(stretches: readonly Stretch[]): readonly Stretch[] {
  const rows: Stretch[] = [];
  for (const { from, to } of stretches) {
    const last = rows.at(-1);
    if (last === undefined || from > last.to + 1) rows.push({ from, to });
    else rows[rows.length - 1] = { from: last.from, to: Math.max(last.to, to) };
  }
  return rows;
}

/**
 * The periods in which a player voted, and the stretches that miss no more of them than is forgiven. A run may have a
 * thousand days, and every vote asks, so nothing here goes from period to period where a row of them will do.
 */
export class VotedPeriods {
  private readonly first: number;
  private readonly last: number;
  /** How many periods were voted in before each row. */
  private readonly before: readonly number[];

  /** @param rows as `rowsOf` and `joinedRows` make them. */
  constructor(
    private readonly rows: readonly Stretch[],
    private readonly forgive: Forgiveness,
  ) {
    this.first = rows[0]?.from ?? 0;
    this.last = rows.at(-1)?.to ?? this.first - 1;
    let count = 0;
    this.before = rows.map(({ from, to }) => {
      count += to - from + 1;
      return count - (to - from + 1);
    });
  }

  /** The first period voted in; 0 if there is none. */
  get earliest(): number {
    return this.first;
  }

  has(period: number): boolean {
    return (this.rows[this.rowAt(period)]?.from ?? Number.POSITIVE_INFINITY) <= period;
  }

  /** The periods voted in from one on. */
  from(period: number): readonly number[] {
    const found: number[] = [];
    for (const { from, to } of this.rows.slice(this.rowAt(period)))
      for (let each = Math.max(from, period); each <= to; each++) found.push(each);
    return found;
  }

  /** The run of a period: the periods voted in during the longest stretch that ends with it. Misses do not lengthen it. */
  runOf(end: number): Run {
    const skipped = this.votedBefore(this.startOf(end));
    const length = this.votedBefore(end + 1) - skipped;
    const at = (place: number): number => this.voted(skipped + place);
    return { length, first: at(0), last: at(length - 1), at };
  }

  /** The widest stretches around a period; several if they are equally wide. */
  widestAround(period: number): readonly Stretch[] {
    const found: Stretch[] = [];
    let to = period;
    // Where nothing is forgiven, all stretches around a period are parts of the longest one.
    const last = this.forgive.missed === 0 ? this.startOf(period) : period;
    for (let from = this.startOf(period); from <= last; from++) {
      while (to < this.last + this.forgive.in && this.mayEnd(from, to + 1)) to++;
      found.push({ from, to });
    }
    const widest = Math.max(...found.map((stretch) => stretch.to - stretch.from));
    return found.filter((stretch) => stretch.to - stretch.from === widest);
  }

  /**
   * The first period of the longest stretch that ends with one. A period voted in never makes a stretch wrong, so a row of
   * them is passed at once.
   */
  startOf(end: number): number {
    let from = end;
    while (from > this.first - this.forgive.in && this.mayStart(from - 1, end))
      from = this.rowStart(from - 1);
    return from;
  }

  private rowStart(period: number): number {
    const row = this.rows[this.rowAt(period)];
    return row !== undefined && row.from <= period ? row.from : period;
  }

  /** Whether a stretch that is right from the next period on is still right with this one. */
  private mayStart(from: number, to: number): boolean {
    return this.missed(from, Math.min(from + this.forgive.in - 1, to)) <= this.forgive.missed;
  }

  /** Whether a stretch that is right up to the period before is still right with this one. */
  private mayEnd(from: number, to: number): boolean {
    return this.missed(Math.max(from, to - this.forgive.in + 1), to) <= this.forgive.missed;
  }

  private missed(from: number, to: number): number {
    return to - from + 1 - (this.votedBefore(to + 1) - this.votedBefore(from));
  }

  private votedBefore(period: number): number {
    const at = this.rowAt(period);
    const row = this.rows[at];
    if (row === undefined) return this.count;
    return (this.before[at] ?? 0) + Math.max(0, period - row.from);
  }

  private get count(): number {
    const last = this.rows.at(-1);
    return last === undefined ? 0 : (this.before.at(-1) ?? 0) + last.to - last.from + 1;
  }

  /** The period voted in after so many others. */
  private voted(place: number): number {
    const at = this.before.findLastIndex((count) => count <= place);
    return (this.rows[at]?.from ?? this.first) + place - (this.before[at] ?? 0);
  }

  /** The place of the first row that ends with a period or later; the number of rows if there is none. */
  private rowAt(period: number): number {
    let low = 0;
    for (let high = this.rows.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((this.rows[middle]?.to ?? period) < period) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
