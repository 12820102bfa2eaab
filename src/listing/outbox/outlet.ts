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
  /** The number of jobs in progress, by listing. */
  readonly inProgress: ReadonlyMap<string, number>;
  /** Listings with this many jobs in progress are left out. */
  readonly most: number;
}

/**
 * What differs between webhooks and listeners: whether a job is sent at least or at most once, its retries, how it is
 * sent, and what its answer means. `Outbox` has what they share.
 */
export interface Outlet<J extends Job, Answer, Recorded> {
  /** The most jobs in progress for one listing. */
  readonly perListingMax: number;

  /**
   * Listings with due jobs, those with the fewest in progress first, so that slow targets with long queues do not delay
   * others; then those that have been due longest.
   */
  dueListings(query: DueQuery): readonly string[];

  /** Marks the next jobs of a listing, which are sent when the mark is on disk. Called in the transaction. */
  claim(listingId: string, limit: number, now: number, inProgress: Iterable<J>): readonly J[];

  /** When the next job is due, after `now`: earlier ones are in progress or wait for a slot. */
  nextDueAt(now: number): number | null;

  /** Never rejects. Resolves soon after `stop` is aborted. */
  send(job: J, stop: AbortSignal): Promise<Answer>;

  /** Records how a job ended, and what follows from that. Called in the transaction. */
  record(ended: EndedJob<J, Answer>): Recorded;

  /** Called when the record is on disk. */
  report(job: J, recorded: Recorded): void;

  /** Called when the database cannot be written. */
  reportPause(error: Error): void;
}
