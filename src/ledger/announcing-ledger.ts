/**
 * What becomes of an announcement. `over`: nothing more of its grant is sent, and it is closed; or it has changed meanwhile.
 * `unseen`: no presence showed its player yet; ask the game server, and call `announce` again with the answer.
 */
export type Announced = 'send' | 'over' | 'unseen';

/** What only the process that delivers knows about an announcement. */
export interface AnnouncingNow {
  readonly now: number;
  /** Whether its player is on the game server now, or need not be; null: not known yet. */
  readonly isHere: boolean | null;
  /** Whether `atMost` leaves it out. */
  readonly isTooOften: boolean;
}

/** Announcements, and who was seen on game servers. */
export interface AnnouncingLedger {
  /**
   * Decides whether the announcements of a grant are sent now. If they are not, closes the grant in the same transaction. A
   * second call for a grant whose announcements were not sent yet decides again.
   */
  announce(grantId: number, how: AnnouncingNow): Promise<Announced>;
  /** Keeps that players, by name in lower case, were on a game server. @param practice whether on a practice server */
  storePresent(keys: readonly string[], practice: boolean, now: number): Promise<void>;
}
