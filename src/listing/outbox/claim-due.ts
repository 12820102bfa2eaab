import type { Job } from '../../notify/outbox/outlet.ts';

/** Something to send to one listing's webhook or listener. */
export interface ListingJob extends Job {
  readonly listingId: string;
}

/**
 * Each listing has one slot of its own, and takes further ones from a shared pool. When all slots were shared,
 * 20 receivers that did not answer delayed another listing's vote by 9 s.
 */
const OWN_SLOTS_MAX = 192;
const SHARED_SLOTS_MAX = 64;
export const IN_ALL_MAX = OWN_SLOTS_MAX + SHARED_SLOTS_MAX;

export interface DueQuery {
  readonly now: number;
  readonly limit: number;
  /** The number of jobs in progress, by listing. */
  readonly inProgress: ReadonlyMap<string, number>;
  /** Listings with this many jobs in progress are left out. */
  readonly most: number;
}

/** Jobs that wait to be sent. */
export interface DueQueue<Claimed> {
  /** The most jobs in progress for one listing. */
  readonly perListingMax: number;

  /**
   * Listings with due jobs, those with the fewest in progress first, so that slow targets with long queues do not delay
   * others; then those that have been due longest.
   */
  dueListings(query: DueQuery): readonly string[];

  /** Marks the next jobs of a listing, which are sent when the mark is on disk. */
  claim(listingId: string, limit: number): readonly Claimed[];
}

type InProgress = Pick<ListingJob, 'listingId'>;

/** Claims due jobs while there are free slots. Call it inside a transaction. */
export function claimDue<Claimed extends InProgress>(
  queue: DueQueue<Claimed>,
  inProgress: readonly InProgress[],
  now: number,
): Claimed[] {
  const slots = new Slots(inProgress, queue.perListingMax);
  const due = queue.dueListings({
    ...{ now, limit: IN_ALL_MAX },
    ...{ inProgress: slots.taken, most: slots.mostOfOne },
  });
  return due.flatMap((listingId) => {
    const claimed = queue.claim(listingId, slots.freeFor(listingId));
    for (const job of claimed) slots.take(job.listingId);
    return claimed;
  });
}

class Slots {
  /** Jobs in progress by listing. */
  readonly taken = new Map<string, number>();
  private shared = SHARED_SLOTS_MAX;

  constructor(
    inProgress: Iterable<InProgress>,
    private readonly perListingMax: number,
  ) {
    for (const { listingId } of inProgress) this.take(listingId);
  }

  /** A listing with this many jobs in progress gets no slot now. */
  get mostOfOne(): number {
    return this.shared > 0 ? this.perListingMax : 1;
  }

  take(listingId: string): void {
    const taken = this.taken.get(listingId) ?? 0;
    this.taken.set(listingId, taken + 1);
    if (taken > 0) this.shared--;
  }

  freeFor(listingId: string): number {
    const taken = this.taken.get(listingId) ?? 0;
    const own = taken === 0 && this.taken.size < OWN_SLOTS_MAX ? 1 : 0;
    if (taken + own === 0) return 0;
    return own + Math.max(0, Math.min(this.shared, this.perListingMax - taken - own));
  }
}
