import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import type { Passwords } from '../../web/auth/passwords.ts';
import type { Entrance } from '../../web/auth/session.ts';
import { SignIn, type SignInResult } from '../../web/auth/sign-in.ts';
import { StoredSessions } from '../../web/auth/stored-sessions.ts';
import type { Changes } from '../changes/changes.ts';
import { type Account, newAccount } from './account.ts';
import type { AccountStore } from './account-store.ts';

export type AccountSignIn =
  | ({ readonly kind: 'signed-in'; readonly account: Account } & Entrance)
  | Exclude<SignInResult<Account>, { readonly kind: 'right' }>;

export interface AccountParts {
  readonly store: AccountStore;
  readonly changes: Changes;
  readonly passwords: Passwords;
  readonly clock: Clock;
  readonly random: Random;
}

/** Accounts, their sign-ins and their sessions. */
export class Accounts extends StoredSessions<Account> {
  private readonly signIns: SignIn<Account>;

  constructor(private readonly parts: AccountParts) {
    super(parts);
    const { store, passwords, clock, random } = parts;
    this.signIns = new SignIn({ find: (name) => store.named(name), passwords, clock, random });
  }

  /** @param known what an earlier sign-in left in the browser. */
  async signIn(
    name: string,
    password: string,
    address: string,
    known: string | null = null,
  ): Promise<AccountSignIn> {
    const result = await this.signIns.attempt(name, password, address, known);
    if (result.kind !== 'right') return result;
    return { kind: 'signed-in', account: result.person, ...(await this.enter(result.person)) };
  }

  /** Opens a session. */
  async enter(account: Account): Promise<Entrance> {
    return { secret: await this.openSession(account), known: this.signIns.knownBrowser(account.name) };
  }

  /** Without the sign-in limits: for the start of the service, never for requests from the network. */
  isPassword(name: string, password: string): Promise<boolean> {
    return this.parts.passwords.matches(password, this.parts.store.named(name)?.passwordHash ?? null);
  }

  /** null if the name is taken. */
  async add(name: string, password: string): Promise<Account | null> {
    return this.addHashed(name, await this.parts.passwords.hash(password));
  }

  /** The same with a password that is hashed already. */
  async addHashed(name: string, passwordHash: string): Promise<Account | null> {
    const { changes, clock, random } = this.parts;
    const now = clock.now();
    const account = newAccount(name, now, random);
    return (await changes.addAccount({ account, passwordHash }, now)) ? account : null;
  }

  /** Ends every session of the account, including the current one; the page then starts a new session. */
  async setPassword({ id }: Account, password: string): Promise<void> {
    const { changes, passwords } = this.parts;
    await changes.setPassword(id, await passwords.hash(password));
  }
}
