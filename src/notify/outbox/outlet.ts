/** Something to send. */
export interface Job {
  readonly id: string;
}

export interface EndedJob<J, Answer> {
  readonly job: J;
  readonly answer: Answer;
  readonly durationMs: number;
}

/** What one turn of the outbox asks of its outlet. */
export interface TurnWanted<J, Answer> {
  readonly ended: readonly EndedJob<J, Answer>[];
  readonly inProgress: readonly J[];
  /** Whether to claim jobs; not while the process stops. */
  readonly isClaiming: boolean;
  readonly now: number;
}

/** What one turn stored. */
export interface Turn<Claimed, Recorded> {
  /** How each ended job was recorded, in their order. */
  readonly recorded: readonly Recorded[];
  readonly claimed: readonly Claimed[];
  /** When the next job is due, after `now`: earlier ones are in progress or wait for a slot. null if none is. */
  readonly nextDueAt: number | null;
}

/**
 * What differs between the things that are sent: whether a job is sent at least or at most once, its retries, how it is
 * sent, and what its answer means. `Outbox` has what they share.
 */
export interface Outlet<J extends Job, Answer, Recorded> {
  /** In one transaction, records how jobs ended, with what follows from that, and claims due jobs. */
  turn(wanted: TurnWanted<J, Answer>): Promise<Turn<J, Recorded>>;

  /** Never rejects. Resolves soon after `stop` is aborted. */
  send(job: J, stop: AbortSignal): Promise<Answer>;

  /** Called when the record is on disk. */
  report(ended: EndedJob<J, Answer>, recorded: Recorded): void;

  /** Called when the database cannot be written. */
  reportPause(error: Error): void;
}
