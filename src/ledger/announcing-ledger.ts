/** What may be sent of an announcement. */
export type Announced =
  /** `voters`: whom it names: those who joined it, oldest first, and its own player. */
  | { readonly kind: 'send'; readonly voters: readonly string[] }
  /** Nothing more of the grant is sent, and it is closed; or it has changed meanwhile. */
  | { readonly kind: 'over' }
  /** No presence showed its player yet. Ask the game server, and call this again with the answer. */
  | { readonly kind: 'unseen' };

/** Announcements, and who was seen on game servers. */
export interface AnnouncingLedger {
  /**
   * Decides whether the announcements of a grant are sent now. If they are not, closes the grant in the same transaction. A
   * second call for a grant whose announcements were not sent yet decides again, with the same voters.
   *
   * @param isHere whether its player is on the game server now; null: not known yet.
   */
  announce(grantId: number, now: number, isHere: boolean | null): Promise<Announced>;
  /** Keeps that players, by name in lower case, were on a game server. @param practice whether on a practice server */
  storePresent(keys: readonly string[], practice: boolean, now: number): Promise<void>;
}
