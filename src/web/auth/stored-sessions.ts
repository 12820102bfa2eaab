import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { hashOf, newSecret } from './secrets.ts';
import type { Session, Sessions } from './session.ts';

export const SESSION_SECONDS = 14 * 24 * 60 * 60;

export interface NewSession {
  /** SHA-256 of the cookie. */
  readonly hash: Buffer;
  readonly personId: string;
  readonly csrf: string;
  readonly expiresAt: number;
}

/** Stores sessions. Methods that change something have to be called inside `write`. */
export interface SessionStore<Person> {
  session(hash: Buffer, now: number): Session<Person> | null;
  openSession(session: NewSession): void;
  endSession(hash: Buffer): void;
  forgetExpiredSessions(now: number): void;
}

export interface StoredSessionsParts<Person> {
  readonly store: SessionStore<Person>;
  readonly write: <Result>(work: () => Result) => Promise<Result>;
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

  /** Always creates a new secret, so that a cookie that was planted in the browser never becomes a session. */
  async openSession({ id: personId }: Person): Promise<string> {
    const { store, write, clock, random } = this.sessionParts;
    const now = clock.now();
    const secret = newSecret(random);
    const expiresAt = now + SESSION_SECONDS * 1000;
    await write(() => {
      store.forgetExpiredSessions(now);
      store.openSession({ hash: hashOf(secret), personId, csrf: newSecret(random), expiresAt });
    });
    return secret;
  }

  async endSession(secret: string): Promise<void> {
    const { store, write } = this.sessionParts;
    await write(() => store.endSession(hashOf(secret)));
  }
}
