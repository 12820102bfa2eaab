import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { Passwords } from '../../web/auth/passwords.ts';
import { hashOf } from '../../web/auth/secrets.ts';
import type { Entrance } from '../../web/auth/session.ts';
import { SignIn } from '../../web/auth/sign-in.ts';
import { StoredSessions } from '../../web/auth/stored-sessions.ts';
import type { OneTimeLink } from './one-time-link.ts';
import type { Operator } from './operator.ts';
import { SessionFile } from './session-file.ts';

export interface AccessParts {
  /** The hash of the password by the config in effect; null: there is none. */
  readonly passwordHash: () => string | null;
  readonly link: OneTimeLink;
  readonly sessionFile: string;
  readonly clock: Clock;
  readonly random: Random;
}

export type Entry =
  | ({ readonly kind: 'signed-in' } & Entrance)
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many-attempts'; readonly retryAfterSeconds: number };

export interface EnteringBrowser {
  readonly address: string;
  /** What an earlier sign-in left in it; null: nothing. */
  readonly known: string | null;
  /** The form token of the session that it has; null: it has none. */
  readonly csrf: string | null;
}

/** The only account has no name. */
const ACCOUNT = 'operator';

/** Decides who may use the console: anyone who has its one-time link or knows its password. */
export class Access {
  readonly sessions: StoredSessions<Operator>;
  private readonly signIn: SignIn<null>;

  private constructor(
    private readonly parts: AccessParts,
    store: SessionFile,
  ) {
    this.sessions = new StoredSessions({ store, changes: store, ...parts });
    const passwords = new Passwords(parts.random);
    const find = () => {
      const passwordHash = parts.passwordHash();
      return passwordHash === null ? null : { person: null, passwordHash };
    };
    this.signIn = new SignIn({ find, passwords, ...parts });
  }

  static async open(parts: AccessParts): Promise<Access> {
    const passwordMark = (): string => {
      const hash = parts.passwordHash();
      return hash === null ? '' : hashOf(hash).toString('hex');
    };
    return new Access(parts, await SessionFile.open(parts.sessionFile, passwordMark));
  }

  get hasPassword(): boolean {
    return this.parts.passwordHash() !== null;
  }

  isPresentLink(code: string): boolean {
    return this.parts.link.isPresent(code);
  }

  async withPassword(password: string, browser: EnteringBrowser): Promise<Entry> {
    const result = await this.signIn.attempt(ACCOUNT, password, browser.address, browser.known);
    return result.kind === 'right' ? this.enter(browser, 'password') : result;
  }

  async withLink(code: string, browser: EnteringBrowser): Promise<Entry> {
    return (await this.parts.link.take(code)) ? this.enter(browser, 'link') : { kind: 'wrong' };
  }

  private async enter({ address, csrf }: EnteringBrowser, by: 'password' | 'link'): Promise<Entry> {
    const operator = { id: `console from ${address} by ${by}`, since: this.parts.clock.now() };
    const secret = await this.sessions.openSession(operator, csrf);
    return { kind: 'signed-in', secret, known: this.signIn.knownBrowser(ACCOUNT) };
  }
}
