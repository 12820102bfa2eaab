import type { Clock } from '../core/clock.ts';
import type { Dice } from '../core/dice.ts';
import type { Log } from '../core/log.ts';
import type { Sessions, Visit, VisitCookies } from './auth/session.ts';
import type { Exchange } from './exchange.ts';
import type { Entered } from './fields.ts';
import type { Flash, FlashCookie } from './flash.ts';
import type { Html } from './html.ts';
import type { AccountCorner, Link } from './layout.ts';
import type { PageBindings } from './server.ts';

export type { Exchange } from './exchange.ts';

/** One page server: what its guards and its frame need to know. */
export interface Site<Person> {
  /** As people read it. */
  readonly name: string;
  /** In the names of its cookies; no other site of the same host has it. */
  readonly cookie: string;
  /** Where the name in the header leads. */
  readonly home: string;
  /** Host names that it is reached under, without port, IPv6 in brackets. Any other is refused. */
  readonly hosts: readonly string[];
  /** Whether browsers reach it over https (through a proxy): cookies are secure and origins are https then. */
  readonly https: boolean;
  readonly sessions: Sessions<Person>;
  readonly accounts: AccountPages<Person> | null;
  navigation(person: Person | null): readonly Link[];
  /** Under the header of every page; null while there is nothing to say. */
  notice?(): Html | null;
  readonly clock: Clock;
  readonly dice: Dice;
  readonly log: Log;
}

export interface AccountPages<Person> {
  readonly signIn: string;
  readonly signOut: string;
  readonly account: string;
  nameOf(person: Person): string;
}

export const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** What the guards leave for the routes. */
export interface PageEnv<Person> {
  Variables: {
    readonly site: Site<Person>;
    readonly cookies: VisitCookies;
    readonly flashes: FlashCookie;
    readonly visit: Visit<Person>;
    readonly flash: Flash | null;
    /** What the form sent; empty for every other request. */
    readonly entered: Entered;
  };
}

/** The same behind the guards, whatever further variables a route's own guards have set. */
export type PageContext<Person> = Exchange & { readonly var: PageEnv<Person>['Variables'] };

/** The client's address; where the request came over no socket, as in a test, there is none. */
export const clientAddress = (c: Exchange): string =>
  (c.env as Partial<PageBindings> | undefined)?.clientAddress ?? 'unknown';

/** Who is signed in, at the right end of the header. */
export function accountCorner<Person>(
  { accounts }: Site<Person>,
  { person, csrf }: Visit<Person>,
): AccountCorner {
  if (accounts === null) return { kind: 'none' };
  const { signIn, signOut, account, nameOf } = accounts;
  if (person === null) return { kind: 'signed-out', signIn };
  return { kind: 'signed-in', name: nameOf(person), href: account, signOut, csrf };
}
