/** How far the votes that a site's listing knows of have been looked for. */
export interface RecoveryLedger {
  /**
   * When this ledger first met the site: by the first vote of it, or now, where it is asked for the first time. Never
   * later than now: by a clock that was ahead then, it would be a time that is yet to come.
   */
  firstSeen(site: string, now: number): Promise<number>;
  /** The newest vote of the site that was told of; every one cast before it is recorded. null where none was. */
  recoveredUntil(site: string): Promise<number | null>;
  /** Never goes back. */
  setRecoveredUntil(site: string, until: number): Promise<void>;
  /** Which of these votes of a service are recorded under their event ids. */
  knownEvents(service: string, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}
