import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Random } from '../core/random.ts';
import type { Sessions, Visit, VisitCookies } from './auth/session.ts';
import type { Brand } from './brand.ts';
import type { Exchange } from './exchange.ts';
import type { Entered } from './fields.ts';
import type { Flash, FlashCookie } from './flash.ts';
import type { FormAnswers } from './form-answers.ts';
import type { Html } from './html.ts';
import type { AccountCorner, Link, MenuLink } from './layout.ts';
import type { PageBindings } from './server.ts';

export type { Exchange } from './exchange.ts';

/** What the guards and the frame of one page server need to know. */
export interface Site<Person> {
  /** The name that people see. */
  readonly name: string;
  readonly brand: Brand;
  /** The prefix of the names of its cookies; unique among the sites on one host. */
  readonly cookie: string;
  /** Where the name in the header links to. */
  readonly home: string;
  /**
   * The host names under which the site is served, without port, IPv6 in brackets. All others are refused. `any`: only
   * for a site without sessions, on which another host name gains nothing.
   */
  readonly hosts: readonly string[] | 'any';
  /** Whether browsers reach the site over https (through a proxy). Cookies are then secure and origins https. */
  readonly https: boolean;
  /** Whether a request for JSON gets the values of a page instead of the page. */
  readonly answersScripts: boolean;
  /** null: all visitors see the same, no cookie is set, and nothing can be changed. */
  readonly sessions: Sessions<Person> | null;
  readonly accounts: AccountPages<Person> | null;
  navigation(person: Person | null): readonly MenuLink[];
  /** A notice below the header of every page, or null. @param person null: nobody has signed in. */
  notice?(person: Person | null): Html | null;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

export interface AccountPages<Person> {
  readonly signIn: string;
  readonly signOut: string;
  /** Beside the button that signs out: the account, or what else is the person's own. */
  corner(person: Person): Link & { readonly title: string };
  /** Absent if the page of the account has this button. */
  readonly signOutEverywhere?: string;
}

export const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'] as const;

/** What the guards set for the routes. */
export interface PageEnv<Person> {
  Variables: {
    readonly site: Site<Person>;
    readonly cookies: VisitCookies;
    readonly flashes: FlashCookie;
    readonly visit: Visit<Person>;
    readonly flash: Flash | null;
    readonly answers: FormAnswers;
    /** The path of the page that has the form which is sent to this path. */
    readonly pageWithForm: (path: string) => string;
    /** The fields of the form; empty for all other requests. */
    readonly entered: Entered;
  };
}

/** The context of a route, which may have further variables from its own guards. */
export type PageContext<Person> = Exchange & { readonly var: PageEnv<Person>['Variables'] };

/** What the page server knows about the request; nothing if the request came without a socket, as in a test. */
export const bindingsOf = (c: Exchange): Partial<PageBindings> => c.env ?? {};

/**
 * Whether the client left before its request had arrived. What fails then is no fault of ours: the server counts such requests.
 */
export function isCutOff(c: Exchange): boolean {
  const { incoming } = bindingsOf(c);
  return incoming?.destroyed === true && !incoming.complete;
}

/** The client's address; `unknown` if the request came without a socket. */
export const clientAddress = (c: Exchange): string => bindingsOf(c).clientAddress ?? 'unknown';

/** The account, shown at the right end of the header. */
export function accountCorner<Person>(
  { accounts }: Site<Person>,
  { person, csrf }: Visit<Person>,
): AccountCorner {
  if (accounts === null) return { kind: 'none' };
  const { signIn, signOut, corner, signOutEverywhere } = accounts;
  if (person === null) return { kind: 'signed-out', signIn };
  return { kind: 'signed-in', link: corner(person), signOut, signOutEverywhere, csrf };
}
