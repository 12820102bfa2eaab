/**
 * Which stretch of a gap is read next. A gap is worked through from its oldest end, because a vote has to be judged
 * after every older one (rule 3), while the API tells the newest first: so each slice is read whole, then applied.
 */

/** A stretch of cast times in milliseconds: `from` included, `until` excluded; null: everything newer, however new. */
export interface Slice {
  readonly from: number;
  readonly until: number | null;
}

/** Slices end on whole seconds, so that a service that compares in seconds cuts them at the same place. */
const LEAST_MS = 1000;

/**
 * Pages of a slice; a slice of more is given up and cut smaller. It bounds what is held in memory and what a crash
 * has to read again, to 500 votes. Slices of one page instead cost up to 3 requests for 100 votes, because a page
 * that is full says nothing about what is older, and is thrown away.
 */
const PAGES_MAX = 5;
/** Of a slice that cannot be cut smaller. */
const PAGES_OF_LEAST_MAX = 30;

export const isLeast = ({ from, until }: Slice): boolean => until !== null && until - from < 2 * LEAST_MS;

export const pagesMax = (slice: Slice): number => (isLeast(slice) ? PAGES_OF_LEAST_MAX : PAGES_MAX);

/** Where a slice that held too much grew crowded, and how long a slice may be there. */
interface Crowd {
  readonly from: number;
  readonly sizeMs: number;
}

/** The slices of one gap, one at a time, oldest first. */
export class Gap {
  /** What is to be read now; null when all of it was. */
  slice: Slice | null;
  /** Ahead of the slice, the nearest last. No slice begins before one and ends in it, to find again what is known. */
  private readonly crowds: Crowd[] = [];

  /** All of it at first: with nothing missed, or little, one request tells it. */
  constructor(from: number) {
    this.slice = { from, until: null };
  }

  /**
   * The slice holds too much: on with its older part, half as long as what was read of it. Where votes are cast as
   * often there, that is half as many as a slice may hold; where they are not, slices soon grow again.
   *
   * @param oldestRead the cast time of the oldest vote that was read of it.
   */
  shrink({ from, until }: Slice, oldestRead: number, now: number): void {
    const end = until ?? now;
    const sizeMs = Math.max(Math.min(end - oldestRead, end - from) / 2, LEAST_MS);
    const crowdFrom = Math.floor(oldestRead / 1000) * 1000;
    if (crowdFrom > from) this.crowds.push({ from: crowdFrom, sizeMs });
    this.slice = { from, until: this.beforeCrowd(wholeSecond(from + sizeMs)) };
  }

  /** The slice was read, in so many pages. One that had room is followed by one twice as long. */
  advance({ from, until }: Slice, pages: number, now: number): void {
    this.slice = until === null ? null : this.after(until, (until - from) * (pages === 1 ? 2 : 1), now);
  }

  private after(from: number, sizeMs: number, now: number): Slice {
    let size = sizeMs;
    for (
      let crowd = this.crowds.at(-1);
      crowd !== undefined && crowd.from <= from;
      crowd = this.crowds.at(-1)
    ) {
      size = crowd.sizeMs;
      this.crowds.pop();
    }
    const until = this.beforeCrowd(wholeSecond(from + size));
    return { from, until: until < now ? until : null };
  }

  private beforeCrowd(until: number): number {
    return Math.min(until, this.crowds.at(-1)?.from ?? until);
  }
}

const wholeSecond = (at: number): number => Math.ceil(at / 1000) * 1000;
