import { createHash } from 'node:crypto';
import type { Random } from '../../core/random.ts';
import { Cookie } from '../cookie.ts';
import type { Exchange } from '../exchange.ts';

/** Finds sessions. A page server without accounts uses an implementation that never finds one. */
export interface Sessions<Person> {
  /** The session with this cookie value; null if it is unknown, expired or ended. */
  find(secret: string): Session<Person> | null;
}

export interface Session<Person> {
  readonly person: Person;
  /** The CSRF token, which every form of the session contains, so that only our own pages can send forms. */
  readonly csrf: string;
}

/** What a browser keeps of a sign-in. */
export interface Entrance {
  /** The cookie of the new session. */
  readonly secret: string;
  /** Of `SignIn.knownBrowser`. */
  readonly known: string | null;
}

/** The visitor behind a request. Visitors who are not signed in also have a token for their forms. */
export interface Visit<Person> {
  readonly person: Person | null;
  /** Empty on a site that has no forms to post. */
  readonly csrf: string;
}

const VISITOR_BYTES = 24;
const KNOWN_SECONDS = 180 * 24 * 60 * 60;

/**
 * The cookie of a session; the cookie of a visitor without one, from which the visitor's form token is derived; and what
 * shows that a browser has signed in before, which outlives its session.
 */
export class VisitCookies {
  private readonly session: Cookie;
  private readonly visitor: Cookie;
  private readonly knownBrowser: Cookie;

  constructor(
    site: string,
    secure: boolean,
    private readonly random: Random,
  ) {
    this.session = new Cookie(`${site}-session`, secure);
    this.visitor = new Cookie(`${site}-visitor`, secure);
    this.knownBrowser = new Cookie(`${site}-known`, secure);
  }

  visit<Person>(c: Exchange, sessions: Sessions<Person>): Visit<Person> {
    const secret = this.session.read(c);
    const session = secret === null ? null : sessions.find(secret);
    if (session !== null) return session;
    const visitor = this.visitor.read(c) ?? this.newVisitor(c);
    return { person: null, csrf: createHash('sha256').update(`form of ${visitor}`).digest('base64url') };
  }

  /** The session cookie that the browser sent; null if it sent none. */
  secret(c: Exchange): string | null {
    return this.session.read(c);
  }

  /** What `SignIn.knownBrowser` left in the browser; null: nothing. */
  known(c: Exchange): string | null {
    return this.knownBrowser.read(c);
  }

  signIn(c: Exchange, { secret, known }: Entrance, seconds: number): void {
    this.session.write(c, secret, seconds);
    if (known !== null) this.knownBrowser.write(c, known, KNOWN_SECONDS);
  }

  signOut(c: Exchange): void {
    this.session.remove(c);
  }

  private newVisitor(c: Exchange): string {
    const visitor = this.random.bytes(VISITOR_BYTES).toString('base64url');
    this.visitor.write(c, visitor);
    return visitor;
  }
}
