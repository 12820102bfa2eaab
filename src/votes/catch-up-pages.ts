/**
 * What is asked of a listing's API next, so that all votes of a gap are read: this names each request and accepts its
 * answer, and does neither itself. A gap is read from its oldest end, because a vote has to be judged after all older
 * ones (rule 3). The API reports the newest votes first, so each slice is read completely before it is submitted.
 */
import { type ReportedVote, type ReportedVotes, VOTES_MAX, whyUnfit } from '../../protocol/listing-api.ts';
import { isoTime } from '../core/instant.ts';
import { faultWith, type VotesQuestion } from './listing-client.ts';

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

const isLeast = ({ from, until }: Slice): boolean => until !== null && until - from < 2 * LEAST_MS;

/** The slices of one gap, one at a time, oldest first. */
export class Gap {
  /** The slice to read now; null when the whole gap has been read. */
  slice: Slice | null;
  /**
   * The times ahead from which votes are dense, because a slice there held too many, each with the maximum length of slices there;
   * the nearest last. Slices end where one starts, so as not to read too many votes again.
   */
  private readonly denseParts: { readonly from: number; readonly sizeMs: number }[] = [];

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
    while ((this.denseParts.at(-1)?.from ?? Number.POSITIVE_INFINITY) <= from)
      size = this.denseParts.pop()?.sizeMs ?? size;
    const until = this.beforeDensePart(wholeSecond(from + size));
    return { from, until: until < now ? until : null };
  }

  private beforeDensePart(until: number): number {
    return Math.min(until, this.denseParts.at(-1)?.from ?? until);
  }
}

const wholeSecond = (at: number): number => Math.ceil(at / 1000) * 1000;

export type Reading =
  | { readonly kind: 'more' }
  | { readonly kind: 'whole' }
  | { readonly kind: 'too-many'; readonly oldestRead: number }
  /** A full page that is newer than the requested end: older votes cannot be reached. */
  | { readonly kind: 'dates-ignored' }
  /** No record is a vote, and nothing shows that the API answered, or where older votes are. */
  | { readonly kind: 'unfit'; readonly why: string };

export const DATES_IGNORED = faultWith(
  'dates-ignored',
  'The listing’s API answers with 100 votes that are newer than the requested endDate, so older ones cannot be reached; it has to respect startDate and endDate.',
  false,
);

/** A service may round the requested end up to a whole second. */
const ROUNDING_MS = 1000;

/**
 * Reads one slice from its newest vote backward, page by page. It assumes only that a page holds the newest votes of the
 * requested time, in any order. A service may include or exclude votes at exactly the start or the end: either way, all
 * votes of the slice are requested.
 */
export class Pages {
  private readonly found = new Map<string, ReportedVote>();
  /** The end of the next request; never the same twice, so that reading always ends. */
  private end: number;
  pagesRead = 0;
  /** Milliseconds whose votes fill a whole page: the API reports only the first 100 of them. */
  readonly fullInstants = new Set<number>();

  /** @param ceiling the latest time to ask for: a service may have any number of votes dated in the future. */
  constructor(
    private readonly slice: Slice,
    private readonly ceiling: number,
  ) {
    this.end = slice.until ?? ceiling;
  }

  /** Starts one millisecond early, for a service that excludes the start. */
  get question(): VotesQuestion {
    return { startDate: isoTime(this.slice.from - 1), endDate: isoTime(this.end), limit: VOTES_MAX };
  }

  take(page: ReportedVotes): Reading {
    const { votes, unread } = page;
    this.pagesRead++;
    for (const vote of votes) this.keep(vote);
    const times = this.timesOf(page);
    const isFull = votes.length + unread.length >= VOTES_MAX;
    const why = whyUnfit(page);
    if (why !== null && (!this.isProven || (isFull && times.length === 0))) return { kind: 'unfit', why };
    if (!isFull) return { kind: 'whole' };
    const oldest = Math.min(...times);
    if (oldest < this.slice.from) return { kind: 'whole' };
    if (oldest > this.end + ROUNDING_MS) return { kind: 'dates-ignored' };
    return this.goBack(oldest, oldest === Math.max(...times));
  }

  /** A record that is not a vote may have a wrong date: only a vote can end the slice by being older. */
  private timesOf({ votes, unread }: ReportedVotes): readonly number[] {
    const { from } = this.slice;
    const unreadTimes = unread.flatMap(({ votedAt }) =>
      votedAt !== null && votedAt >= from ? [votedAt] : [],
    );
    return [...votes.map(({ votedAt }) => votedAt), ...unreadTimes];
  }

  /** Whether earlier pages could be read: then the API works, and records that are not votes block nothing. */
  private get isProven(): boolean {
    return this.slice.until !== null || this.pagesRead > 1;
  }

  /** Oldest first. IDs of one millisecond ascend in the order of creation, because they are time-based UUIDs. */
  votes(): ReportedVote[] {
    return [...this.found.values()].sort((a, b) => a.votedAt - b.votedAt || (a.id < b.id ? -1 : 1));
  }

  /**
   * Keeps a vote if its own time is in this slice; the neighbouring slices read the others again. Votes beyond the
   * ceiling are read again once they have been cast: they cannot be stored yet, and the votes after them would wait.
   */
  private keep(vote: ReportedVote): void {
    const { from, until } = this.slice;
    const isInside =
      vote.votedAt >= from && (until === null ? vote.votedAt <= this.ceiling : vote.votedAt < until);
    if (isInside && !this.found.has(vote.id)) this.found.set(vote.id, vote);
  }

  /**
   * Continues from the oldest millisecond. It is requested again, because the page may hold only some of its votes; the
   * end is one millisecond later, because a service may exclude it.
   */
  private goBack(oldest: number, isOneMillisecond: boolean): Reading {
    if (isOneMillisecond) this.fullInstants.add(oldest);
    const next = isOneMillisecond ? oldest : oldest + 1;
    this.end = Math.min(next, this.end - 1);
    if (this.end < this.slice.from) return { kind: 'whole' };
    const isAlone = isLeast(this.slice);
    if (this.pagesRead < (isAlone ? PAGES_OF_LEAST_MAX : PAGES_MAX)) return { kind: 'more' };
    if (!isAlone) return { kind: 'too-many', oldestRead: oldest };
    this.fullInstants.add(oldest);
    return { kind: 'whole' };
  }
}
