/**
 * Decides which part of a gap is read next. A gap is read from its oldest end, because a vote has to be judged after
 * all older ones (rule 3). The API reports the newest votes first, so each slice is read completely before it is
 * submitted.
 */

/** A range of cast times in milliseconds: `from` included, `until` excluded; null: no end. */
export interface Slice {
  readonly from: number;
  readonly until: number | null;
}

/** Slices end on whole seconds, so that a service that compares in seconds splits them at the same place. */
const LEAST_MS = 1000;

/**
 * A slice with more pages than this is given up and split. This limits what is held in memory, and what is read
 * again after a crash, to 500 votes. Slices of one page would cost up to 3 requests for 100 votes, because a full page
 * says nothing about older votes and is thrown away.
 */
const PAGES_MAX = 5;
/** The limit for a slice that cannot be split further. */
const PAGES_OF_LEAST_MAX = 30;

export const isLeast = ({ from, until }: Slice): boolean => until !== null && until - from < 2 * LEAST_MS;

export const pagesMax = (slice: Slice): number => (isLeast(slice) ? PAGES_OF_LEAST_MAX : PAGES_MAX);

/** A time from which votes are dense, because a slice there held too many, and the maximum length of slices there. */
interface DensePart {
  readonly from: number;
  readonly sizeMs: number;
}

/** The slices of one gap, one at a time, oldest first. */
export class Gap {
  /** The slice to read now; null when the whole gap has been read. */
  slice: Slice | null;
  /** The dense parts ahead, the nearest last. Slices end where one starts, so as not to read too many votes again. */
  private readonly denseParts: DensePart[] = [];

  /** Starts with the whole gap: if few votes were missed, one request is enough. */
  constructor(from: number) {
    this.slice = { from, until: null };
  }

  /**
   * The slice holds too many votes: continues with its older part, half as long as the part that was read. If votes are
   * as frequent there, that is half of what a slice may hold; if not, slices soon grow again.
   *
   * @param oldestRead the cast time of the oldest vote that was read.
   */
  shrink({ from, until }: Slice, oldestRead: number, now: number): void {
    const end = until ?? now;
    const sizeMs = Math.max(Math.min(end - oldestRead, end - from) / 2, LEAST_MS);
    const denseFrom = Math.floor(oldestRead / 1000) * 1000;
    if (denseFrom > from) this.denseParts.push({ from: denseFrom, sizeMs });
    this.slice = { from, until: this.beforeDensePart(wholeSecond(from + sizeMs)) };
  }

  /** The slice was read in this many pages. If one was enough, the next slice is twice as long. */
  advance({ from, until }: Slice, pages: number, now: number): void {
    this.slice = until === null ? null : this.after(until, (until - from) * (pages === 1 ? 2 : 1), now);
  }

  private after(from: number, sizeMs: number, now: number): Slice {
    let size = sizeMs;
    for (
      let next = this.denseParts.at(-1);
      next !== undefined && next.from <= from;
      next = this.denseParts.at(-1)
    ) {
      size = next.sizeMs;
      this.denseParts.pop();
    }
    const until = this.beforeDensePart(wholeSecond(from + size));
    return { from, until: until < now ? until : null };
  }

  private beforeDensePart(until: number): number {
    return Math.min(until, this.denseParts.at(-1)?.from ?? until);
  }
}

const wholeSecond = (at: number): number => Math.ceil(at / 1000) * 1000;
