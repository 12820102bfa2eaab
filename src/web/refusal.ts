import type { Visit } from './auth/session.ts';
import { actions, linkButton } from './components/button.ts';
import { html } from './html.ts';
import { type AccountCorner, document, type MenuLink } from './layout.ts';
import { accountCorner, type Exchange, type PageEnv, type Site } from './site.ts';

/** Everything that a page server answers instead of a page: the status, what is wrong, and what to do. */
export const refusals = {
  'host-not-listed': {
    status: 421,
    title: 'This address is not set up',
    advice:
      'Use the address that was printed when the service started, or add this host name to the hosts in its config.',
  },
  'cross-site': {
    status: 403,
    title: 'This request came from another site',
    advice: 'Forms can only be sent from this site’s own pages. Open the page here and send the form again.',
  },
  'form-outdated': {
    status: 403,
    title: 'This form is out of date',
    advice: 'You signed in or out after opening it. Go back, reload the page and send the form again.',
  },
  'body-too-large': {
    status: 413,
    title: 'Too much text',
    advice: 'Shorten what you entered and send it again.',
  },
  'body-kind': {
    status: 415,
    title: 'Unsupported content type',
    advice:
      'Send a form of this site as application/x-www-form-urlencoded, or JSON as application/json if the documentation says so.',
  },
  'signed-out': {
    status: 403,
    title: 'Sign in first',
    advice: 'You need to be signed in for this. Sign in and try again.',
  },
  'not-allowed': {
    status: 403,
    title: 'You don’t have access',
    advice: 'Ask the owner for an invitation, or sign in with another account.',
  },
  'not-found': {
    status: 404,
    title: 'Page not found',
    advice: 'Check the address. The page may have been removed.',
  },
  'too-many-attempts': {
    status: 429,
    title: 'Too many attempts',
    advice: 'Wait a few minutes, then try again.',
  },
  'too-many-streams': {
    status: 429,
    title: 'Too many pages are open',
    advice: 'Close some of them. This page is then kept up to date again.',
  },
  'internal-fault': {
    status: 500,
    title: 'Something went wrong',
    advice:
      'The error is on our side and was logged. Try again. If it keeps happening, tell the person who runs this site.',
  },
} as const;

export type RefusalCode = keyof typeof refusals;

/** Reveals nothing about the request or the fault: not the Host, the path or the error. */
export function refuse<Person>(
  c: Exchange,
  site: Site<Person>,
  code: RefusalCode,
): Response | Promise<Response> {
  const { status, title, advice } = refusals[code];
  c.header('Cache-Control', 'no-store');
  if (wantsJson(c, site)) return c.json({ code, message: `${title}. ${advice}` }, status);
  const frame = {
    site: site.name,
    brand: site.brand,
    home: site.home,
    ...headerOf(c, site, code),
    path: '',
    flash: null,
    now: site.clock.now(),
    notice: site.notice?.(visitOf<Person>(c)?.person ?? null) ?? null,
  };
  const body = [
    actions(linkButton('Go to start page', site.home)),
    html`<p class="hint">${status} ${code}</p>`,
  ];
  return c.html(document(frame, { title, lead: advice, body }).toString(), status);
}

interface Header {
  readonly navigation: readonly MenuLink[];
  readonly account: AccountCorner;
}

const EMPTY_HEADER: Header = { navigation: [], account: { kind: 'none' } };

/** The header of every page; without the account if the guards have not found the visitor yet. */
function headerOf<Person>(c: Exchange, site: Site<Person>, code: RefusalCode): Header {
  // Under a host name that is not listed, our own links would not work.
  if (code === 'host-not-listed') return EMPTY_HEADER;
  const visit = visitOf<Person>(c);
  if (visit === null) return { ...EMPTY_HEADER, navigation: site.navigation(null) };
  return { navigation: site.navigation(visit.person), account: accountCorner(site, visit) };
}

/** null if the refusing guard runs before the one that sets the visit. */
const visitOf = <Person>(c: Exchange): Visit<Person> | null =>
  (c as Exchange & { readonly var: Partial<PageEnv<Person>['Variables']> }).var.visit ?? null;

/** Scripts ask for JSON, including the `dashboard` commands. */
export const wantsJson = (c: Exchange, { answersScripts }: Pick<Site<never>, 'answersScripts'>): boolean =>
  answersScripts && c.req.header('accept')?.includes('application/json') === true;
