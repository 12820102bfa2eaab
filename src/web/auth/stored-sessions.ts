import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { hashOf, newSecret } from './secrets.ts';
import type { Session, Sessions } from './session.ts';

export const SESSION_SECONDS = 14 * 24 * 60 * 60;

export interface NewSession {
  /** SHA-256 of the cookie. */
  readonly hash: Uint8Array;
  readonly personId: string;
  readonly csrf: string;
  readonly expiresAt: number;
}

export interface SessionStore<Person> {
  session(hash: Uint8Array, now: number): Session<Person> | null;
}

/** Each resolves when the change is on disk. */
export interface SessionChanges {
  /** Also forgets the sessions that have expired. */
  openSession(session: NewSession, now: number): Promise<void>;
  endSession(hash: Uint8Array): Promise<void>;
  endSessionsOf(personId: string): Promise<void>;
}

export interface StoredSessionsParts<Person> {
  readonly store: SessionStore<Person>;
  readonly changes: SessionChanges;
  readonly clock: Clock;
  readonly random: Random;
}

/** Sessions that survive a restart. Only the hash of the cookie's secret is stored. */
export class StoredSessions<Person extends { readonly id: string }> implements Sessions<Person> {
  constructor(private readonly sessionParts: StoredSessionsParts<Person>) {}

  find(secret: string): Session<Person> | null {
    const { store, clock } = this.sessionParts;
    return store.session(hashOf(secret), clock.now());
  }

  /**
   * Always creates a new secret, so that a cookie that was planted in the browser never becomes a session.
   *
   * @param csrf of the session of the same person that it takes the place of, so that forms that are open in the browser can
   *   still be sent; null: of none.
   */
  async openSession({ id: personId }: Person, csrf: string | null = null): Promise<string> {
    const { changes, clock, random } = this.sessionParts;
    const now = clock.now();
    const secret = newSecret(random);
    const expiresAt = now + SESSION_SECONDS * 1000;
    const session = { hash: hashOf(secret), personId, csrf: csrf ?? newSecret(random), expiresAt };
    await changes.openSession(session, now);
    return secret;
  }

  endSession(secret: string): Promise<void> {
    return this.sessionParts.changes.endSession(hashOf(secret));
  }

  /** Ends each session of a person, in every browser. */
  endSessionsOf({ id }: Person): Promise<void> {
    return this.sessionParts.changes.endSessionsOf(id);
  }
}
