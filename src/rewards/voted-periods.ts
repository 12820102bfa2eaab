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

/** The periods in which a player voted, and the stretches that miss no more of them than is forgiven. */
export class VotedPeriods {
  private readonly voted: readonly number[];
  private readonly first: number;
  private readonly last: number;
  /** By period from `first` on: how many were voted in before it. */
  private readonly before: readonly number[];
  /** By period from `first` on: the first of those voted in one after another up to it. */
  private readonly rowStarts: readonly number[];

  /** @param voted oldest first. */
  constructor(
    voted: readonly number[],
    private readonly forgive: Forgiveness,
  ) {
    this.voted = voted;
    this.first = voted[0] ?? 0;
    this.last = voted.at(-1) ?? this.first - 1;
    const before: number[] = [0];
    const rowStarts: number[] = [];
    let count = 0;
    let rowStart = this.first;
    for (let period = this.first; period <= this.last; period++) {
      const isVoted = voted[count] === period;
      if (isVoted) count++;
      before.push(count);
      rowStarts.push(isVoted ? rowStart : period);
      if (!isVoted) rowStart = period + 1;
    }
    this.before = before;
    this.rowStarts = rowStarts;
  }

  get all(): readonly number[] {
    return this.voted;
  }

  has(period: number): boolean {
    return this.votedBefore(period + 1) > this.votedBefore(period);
  }

  from(period: number): readonly number[] {
    return this.voted.slice(this.votedBefore(period));
  }

  /** The run of a period: the periods voted in during the longest stretch that ends with it. Misses do not lengthen it. */
  runOf(end: number): readonly number[] {
    return this.voted.slice(this.votedBefore(this.startOf(end)), this.votedBefore(end + 1));
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
   * The first period of the longest stretch that ends with one. A period voted in never makes a stretch wrong, so all that
   * follow one another are passed at once: a run may have a thousand.
   */
  startOf(end: number): number {
    let from = end;
    while (from > this.first - this.forgive.in && this.mayStart(from - 1, end))
      from = this.rowStarts[from - 1 - this.first] ?? from - 1;
    return from;
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
    const at = Math.min(Math.max(period - this.first, 0), this.before.length - 1);
    return this.before[at] ?? 0;
  }
}
