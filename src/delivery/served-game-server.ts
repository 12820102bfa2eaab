import type { Presence } from './game-server.ts';

/** A game server that this Teller pays on or forwards to, as pages see it. */
export interface ServedGameServer {
  readonly name: string;
  /** Why its queue waits; null: it accepts what is sent; undefined: nothing was sent to it yet. */
  readonly trouble: string | null | undefined;
  /** When it is tried again after a failure, in monotonic time, which may be past; null: the last try did not fail. */
  readonly retryAt: number | null;
  /** Its last answer about who is online; null if there is none. */
  readonly lastPresence: LastPresence | null;
  /**
   * Who is online: the last answer if it is younger than `maxAgeMs`, else it is asked. Rejects with a Problem if the
   * ledger cannot store what it showed.
   */
  askPresence(maxAgeMs: number): Promise<Presence>;
  /** Whether it answers about one player at a time. It is asked, and does that only if it cannot list its players. */
  asksOneByOne(): Promise<boolean>;
}

export interface LastPresence {
  readonly presence: Presence;
  readonly ageMs: number;
}
