import type { Clock } from '../../core/clock.ts';
import type { Random } from '../../core/random.ts';
import { Passwords } from '../../web/auth/passwords.ts';
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
  /** `secret` is for the session's cookie. */
  | { readonly kind: 'signed-in'; readonly secret: string }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'too-many-attempts'; readonly retryAfterSeconds: number };

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
    this.signIn = new SignIn({ find, passwords, clock: parts.clock });
  }

  static async open(parts: AccessParts): Promise<Access> {
    return new Access(parts, await SessionFile.open(parts.sessionFile));
  }

  get hasPassword(): boolean {
    return this.parts.passwordHash() !== null;
  }

  isPresentLink(code: string): boolean {
    return this.parts.link.isPresent(code);
  }

  async withPassword(password: string, address: string): Promise<Entry> {
    const result = await this.signIn.attempt(ACCOUNT, password, address);
    return result.kind === 'right' ? this.enter(`console from ${address}`) : result;
  }

  async withLink(code: string, address: string): Promise<Entry> {
    return (await this.parts.link.take(code)) ? this.enter(`console from ${address}`) : { kind: 'wrong' };
  }

  private async enter(id: string): Promise<Entry> {
    const secret = await this.sessions.openSession({ id, since: this.parts.clock.now() });
    return { kind: 'signed-in', secret };
  }
}
