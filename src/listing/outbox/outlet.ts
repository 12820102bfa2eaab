/** Something to send to one listing's webhook or listener. */
export interface Job {
  readonly listingId: string;
}

export interface EndedJob<J, Answer> {
  readonly job: J;
  readonly answer: Answer;
  readonly durationMs: number;
}

export interface DueQuery {
  readonly now: number;
  readonly limit: number;
  /** Jobs in progress by listing. */
  readonly inProgress: ReadonlyMap<string, number>;
  /** Listings with so many in progress are left out. */
  readonly most: number;
}

/**
 * What differs between the ways out of the service: whether a job is sent at least or at most once, its retries, how
 * it is sent, and what its answer means. `Outbox` has what they share.
 */
export interface Outlet<J extends Job, Answer, Settled> {
  /** Jobs in progress to one listing at once. */
  readonly perListingMax: number;

  /**
   * Listings that have jobs whose time has come: those with the fewest in progress first, so that no target waits for
   * slow ones with long queues, then the longest due.
   */
  dueListings(query: DueQuery): readonly string[];

  /** Marks the next jobs of a listing, which are sent when the mark is on disk. Inside the transaction. */
  claim(listingId: string, limit: number, now: number, inProgress: Iterable<J>): readonly J[];

  /** When the next job falls due, after `now`: earlier ones are in progress, or wait for room. */
  nextDueAt(now: number): number | null;

  /** Never rejects, and ends when `stop` is aborted. */
  send(job: J, stop: AbortSignal): Promise<Answer>;

  /** Writes down how a job ended, and what follows from that. Inside the transaction. */
  settle(ended: EndedJob<J, Answer>): Settled;

  /** What was settled is on disk. */
  report(job: J, settled: Settled): void;

  /** The database cannot be written for now. */
  reportPause(error: Error): void;
}
