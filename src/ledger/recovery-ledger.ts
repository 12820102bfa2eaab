/** How far the votes that a site's listing reports have been recorded. */
export interface RecoveryLedger {
  /**
   * When this ledger first saw the site: at its first vote, or now if this is the first call. Never later than now: if the
   * clock was ahead then, the stored time is corrected.
   */
  firstSeen(site: string, now: number): Promise<number>;
  /** The newest vote of the site that its listing has reported; all votes cast before it are recorded. null if none. */
  recoveredUntil(site: string): Promise<number | null>;
  /** Never goes back. */
  setRecoveredUntil(site: string, until: number): Promise<void>;
  /** Which of these event IDs of a service are recorded. */
  knownEvents(service: string, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}
