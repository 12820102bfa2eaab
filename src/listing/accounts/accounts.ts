import type { Clock } from '../../core/clock.ts';
import type { Dice } from '../../core/dice.ts';
import { uuid7 } from '../../core/uuid.ts';
import type { Write } from '../../sqlite/patience.ts';
import type { Session, Sessions } from '../../web/session.ts';
import type { Account } from './account.ts';
import type { AccountStore } from './account-store.ts';
import type { Passwords } from './passwords.ts';
import { hashOf, newSecret, newUserId } from './secrets.ts';
import { SignInLimits } from './sign-in-limits.ts';

export const SESSION_SECONDS = 14 * 24 * 60 * 60;
export const PASSWORD_LEAST = 10;
/** More is work for the hash and safety for nobody. */
export const PASSWORD_MOST = 200;

export type SignIn =
  /** The secret is the new session's cookie. */
  | { readonly kind: 'signed-in'; readonly account: Account; readonly secret: string }
  /** Name or password; which one is not told. */
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many-attempts'; readonly retryAfterSeconds: number };

export interface AccountParts {
  readonly store: AccountStore;
  readonly write: Write;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly dice: Dice;
}

/** Who can sign in, and who has. */
export class Accounts implements Sessions<Account> {
  private readonly limits: SignInLimits;

  constructor(private readonly parts: AccountParts) {
    this.limits = new SignInLimits(parts.clock);
  }

  find(secret: string): Session<Account> | null {
    const session = this.parts.store.session(hashOf(secret), this.parts.clock.now());
    return session && { person: session.account, csrf: session.csrf };
  }

  async signIn(name: string, password: string, address: string): Promise<SignIn> {
    const allowance = this.limits.take(name, address);
    if (allowance.kind === 'wait') {
      return { kind: 'too-many-attempts', retryAfterSeconds: Math.ceil(allowance.waitMs / 1000) };
    }
    const known = this.parts.store.named(name);
    const isRight = await this.parts.passwords.matches(password, known?.passwordHash ?? null);
    if (known === null || !isRight) return { kind: 'wrong' };
    allowance.succeed();
    return { kind: 'signed-in', account: known.account, secret: await this.openSession(known.account) };
  }

  /** Without the limits of signing in: for the start of the service, not for what comes over the network. */
  isPassword(name: string, password: string): Promise<boolean> {
    return this.parts.passwords.matches(password, this.parts.store.named(name)?.passwordHash ?? null);
  }

  /** Always a new secret: one that somebody planted in the browser before never becomes a session. */
  async openSession({ id }: Account): Promise<string> {
    const { store, write, clock, dice } = this.parts;
    const now = clock.now();
    const secret = newSecret(dice);
    const expiresAt = now + SESSION_SECONDS * 1000;
    await write(() => {
      store.forgetExpiredSessions(now);
      store.openSession({ hash: hashOf(secret), accountId: id, csrf: newSecret(dice), expiresAt });
    });
    return secret;
  }

  async endSession(secret: string): Promise<void> {
    await this.parts.write(() => this.parts.store.endSession(hashOf(secret)));
  }

  /** null where the name is taken. */
  async add(name: string, password: string): Promise<Account | null> {
    const passwordHash = await this.parts.passwords.hash(password);
    return this.parts.write(() => this.addHashed(name, passwordHash));
  }

  /** Inside `write`: for those who add an account together with something else. */
  addHashed(name: string, passwordHash: string): Account | null {
    const { store, clock, dice } = this.parts;
    const account = { id: uuid7(clock.now(), dice), name, userId: newUserId(dice) };
    return store.add(account, passwordHash, clock.now()) ? account : null;
  }

  /** Ends every session of the account, the one that asks included: its page signs in anew. */
  async setPassword({ id }: Account, password: string): Promise<void> {
    const { store, write, passwords } = this.parts;
    const passwordHash = await passwords.hash(password);
    await write(() => {
      store.setPassword(id, passwordHash);
      store.endSessionsOf(id);
    });
  }
}
