/** How far the votes that a site's listing reports have been recorded. */
export interface RecoveryLedger {
  /**
   * When the site was first seen: the time of its first vote, or of the first call if it had none. If the stored time is
   * in the future, because the clock was ahead when it was written, it is corrected to now.
   */
  firstSeen(site: string, now: number): Promise<number>;
  /** The newest vote of the site that its listing has reported; all votes cast before it are recorded. null if none. */
  recoveredUntil(site: string): Promise<number | null>;
  /** Never goes back. */
  setRecoveredUntil(site: string, until: number): Promise<void>;
  /** Which of these event IDs of a service are recorded. */
  knownEvents(service: string, eventIds: readonly string[]): Promise<ReadonlySet<string>>;
}
