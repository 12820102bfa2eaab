import {
  type ReportedVote,
  type ReportedVotes,
  whyUnfit,
} from '../../protocol/listing-api/reported-votes.ts';
import { VOTES_MAX, type VotesQuery } from '../../protocol/listing-api/schemas.ts';
import { isoTime } from '../core/instant.ts';
import type { OutputOf } from '../listing-client/schema-types.ts';
import { isLeast, pagesMax, type Slice } from './slices.ts';

export type Reading =
  | { readonly kind: 'more' }
  | { readonly kind: 'whole' }
  | { readonly kind: 'too-many'; readonly oldestRead: number }
  /** A full page of nothing but what is newer than was asked for: whatever is older cannot be reached. */
  | { readonly kind: 'dates-ignored' }
  /** Nothing of it is a vote, and nothing shows that it is the API that answers, or where older ones are. */
  | { readonly kind: 'unfit'; readonly why: string };

/** Beyond the asked end: a service may round it up to its second. */
const ROUNDING_MS = 1000;

/**
 * Reads one slice from its newest vote backward, page by page. Pure: it says what to ask and takes what came. It
 * relies on one thing, that a page holds the newest votes of what was asked for, in whatever order, and on nothing
 * about the ends: whether the service counts a vote at the very millisecond of an end as in or out, it is asked for.
 */
export class Pages {
  private readonly ceiling: number;
  private readonly found = new Map<string, ReportedVote>();
  /** Of the next question; never the same twice, so that reading ends whatever comes. */
  private end: number | null;
  private taken = 0;
  /** Milliseconds that filled a page by themselves: of what they hold, the API tells the first 100 and no more. */
  readonly crowded = new Set<number>();

  /** @param ceiling where asking ends in any case: votes of the future are nobody's yet, and have no end. */
  constructor(
    private readonly slice: Slice,
    ceiling: number | null = null,
  ) {
    this.ceiling = ceiling ?? Number.POSITIVE_INFINITY;
    this.end = slice.until ?? ceiling;
  }

  get count(): number {
    return this.taken;
  }

  /** One millisecond early, for a service that leaves the start itself out. */
  get question(): OutputOf<typeof VotesQuery> {
    const startDate = isoTime(this.slice.from - 1);
    return { startDate, ...(this.end === null ? {} : { endDate: isoTime(this.end) }), limit: VOTES_MAX };
  }

  take(told: ReportedVotes): Reading {
    const { votes, unread } = told;
    this.taken++;
    for (const vote of votes) this.keep(vote);
    const times = this.timesOf(told);
    const isFull = votes.length + unread.length >= VOTES_MAX;
    const why = whyUnfit(told);
    if (why !== null && (!this.isProven || (isFull && times.length === 0))) return { kind: 'unfit', why };
    if (!isFull) return { kind: 'whole' };
    const oldest = Math.min(...times);
    if (oldest < this.slice.from) return { kind: 'whole' };
    if (this.end !== null && oldest > this.end + ROUNDING_MS) return { kind: 'dates-ignored' };
    return this.goBack(oldest, oldest === Math.max(...times));
  }

  /** What is odd may be oddly dated, too: an older time ends the slice only where a vote has it. */
  private timesOf({ votes, unread }: ReportedVotes): readonly number[] {
    const { from } = this.slice;
    const odd = unread.flatMap(({ votedAt }) => (votedAt !== null && votedAt >= from ? [votedAt] : []));
    return [...votes.map(({ votedAt }) => votedAt), ...odd];
  }

  /** A slice with an end was cut out of what could be read, so it is the API that answers: what is odd holds up nothing. */
  private get isProven(): boolean {
    return this.slice.until !== null || this.taken > 1;
  }

  /** Oldest first. IDs of one millisecond ascend as the service made them, since they are UUIDs by time. */
  votes(): ReportedVote[] {
    return [...this.found.values()].sort((a, b) => a.votedAt - b.votedAt || (a.id < b.id ? -1 : 1));
  }

  /**
   * What belongs to a neighbour slice is told there again: a vote is of one slice, by its own time. So is what is beyond
   * the ceiling, once it has been cast: it could not be stored yet, and the votes after it would wait.
   */
  private keep(vote: ReportedVote): void {
    const { from, until } = this.slice;
    const isInside =
      vote.votedAt >= from && (until === null ? vote.votedAt <= this.ceiling : vote.votedAt < until);
    if (isInside && !this.found.has(vote.id)) this.found.set(vote.id, vote);
  }

  /**
   * On from the oldest millisecond, which is asked for again, as the page may have cut it in two; one later where the
   * end may be left out.
   */
  private goBack(oldest: number, isOneMillisecond: boolean): Reading {
    if (isOneMillisecond) this.crowded.add(oldest);
    const next = isOneMillisecond ? oldest : oldest + 1;
    this.end = this.end === null ? next : Math.min(next, this.end - 1);
    if (this.end < this.slice.from) return { kind: 'whole' };
    if (this.taken < pagesMax(this.slice)) return { kind: 'more' };
    if (!isLeast(this.slice)) return { kind: 'too-many', oldestRead: oldest };
    this.crowded.add(oldest);
    return { kind: 'whole' };
  }
}
