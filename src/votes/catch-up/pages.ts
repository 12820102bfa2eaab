import {
  type ReportedVote,
  type ReportedVotes,
  whyUnfit,
} from '../../../protocol/listing-api/reported-votes.ts';
import { VOTES_MAX, type VotesQuery } from '../../../protocol/listing-api/schemas.ts';
import { isoTime } from '../../core/instant.ts';
import type { OutputOf } from '../listing-client/schema-types.ts';
import { isLeast, pagesMax, type Slice } from './slices.ts';

export type Reading =
  | { readonly kind: 'more' }
  | { readonly kind: 'whole' }
  | { readonly kind: 'too-many'; readonly oldestRead: number }
  /** A full page that is newer than the requested end: older votes cannot be reached. */
  | { readonly kind: 'dates-ignored' }
  /** No record is a vote, and nothing shows that the API answered, or where older votes are. */
  | { readonly kind: 'unfit'; readonly why: string };

/** A service may round the requested end up to a whole second. */
const ROUNDING_MS = 1000;

/**
 * Reads one slice from its newest vote backward, page by page. Pure: it names the next request and accepts the answers.
 * It assumes only that a page holds the newest votes of the requested time, in any order. A service may include or
 * exclude votes at exactly the start or the end: either way, all votes of the slice are requested.
 */
export class Pages {
  private readonly ceiling: number;
  private readonly found = new Map<string, ReportedVote>();
  /** The end of the next request; never the same twice, so that reading always ends. */
  private end: number | null;
  private pagesRead = 0;
  /** Milliseconds whose votes fill a whole page: the API reports only the first 100 of them. */
  readonly fullInstants = new Set<number>();

  /** @param ceiling the latest time to ask for: a service may have any number of votes dated in the future. */
  constructor(
    private readonly slice: Slice,
    ceiling: number | null = null,
  ) {
    this.ceiling = ceiling ?? Number.POSITIVE_INFINITY;
    this.end = slice.until ?? ceiling;
  }

  get count(): number {
    return this.pagesRead;
  }

  /** Starts one millisecond early, for a service that excludes the start. */
  get question(): OutputOf<typeof VotesQuery> {
    const startDate = isoTime(this.slice.from - 1);
    return { startDate, ...(this.end === null ? {} : { endDate: isoTime(this.end) }), limit: VOTES_MAX };
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
    if (this.end !== null && oldest > this.end + ROUNDING_MS) return { kind: 'dates-ignored' };
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
    this.end = this.end === null ? next : Math.min(next, this.end - 1);
    if (this.end < this.slice.from) return { kind: 'whole' };
    if (this.pagesRead < pagesMax(this.slice)) return { kind: 'more' };
    if (!isLeast(this.slice)) return { kind: 'too-many', oldestRead: oldest };
    this.fullInstants.add(oldest);
    return { kind: 'whole' };
  }
}
