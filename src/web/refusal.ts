import type { Visit } from './auth/session.ts';
import { actions, linkButton } from './components/button.ts';
import { html } from './html.ts';
import { type AccountCorner, document, type Link } from './layout.ts';
import { accountCorner, type Exchange, type PageEnv, type Site } from './site.ts';

/** Everything that a page server answers instead of a page: the status, what it is, and what to do about it. */
export const refusals = {
  'host-not-listed': {
    status: 421,
    title: 'Not served under this address',
    advice: 'Open this site under the address that its start line names, or add this one to its hosts.',
  },
  'cross-site': {
    status: 403,
    title: 'This did not come from our own page',
    advice: 'Forms are only taken from the pages of this site. Open the page here and send the form again.',
  },
  'form-outdated': {
    status: 403,
    title: 'This form is out of date',
    advice: 'You have signed in or out since it was opened. Go back, reload the page, and send it again.',
  },
  'body-too-large': {
    status: 413,
    title: 'That was too much at once',
    advice: 'Shorten what you entered and send it again.',
  },
  'body-kind': {
    status: 415,
    title: 'Not a form',
    advice: 'Changes are taken from the forms of this site, or as JSON where the documentation says so.',
  },
  'signed-out': {
    status: 403,
    title: 'Sign in first',
    advice: 'This needs a session; sign in, then try again.',
  },
  'not-allowed': {
    status: 403,
    title: 'This is not yours to see or change',
    advice: 'Ask its owner for an invitation, or sign in with another account.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    advice: 'The address may be mistyped, or what it named is gone.',
  },
  'too-many-attempts': {
    status: 429,
    title: 'Too many attempts',
    advice: 'Wait a few minutes, then try again.',
  },
  'internal-fault': {
    status: 500,
    title: 'Something broke on our side',
    advice: 'What happened is in the log. Try again; if it stays, tell whoever runs this site.',
  },
} as const;

export type RefusalCode = keyof typeof refusals;

/** Says nothing of what was asked or of what broke: neither the Host, nor the path, nor an error. */
export function refuse<Person>(
  c: Exchange,
  site: Site<Person>,
  code: RefusalCode,
): Response | Promise<Response> {
  const { status, title, advice } = refusals[code];
  c.header('Cache-Control', 'no-store');
  if (wantsJson(c)) return c.json({ code, message: `${title}. ${advice}` }, status);
  const frame = {
    site: site.name,
    home: site.home,
    ...around(c, site, code),
    path: '',
    flash: null,
    now: site.clock.now(),
    notice: site.notice?.() ?? null,
  };
  const body = [
    actions(linkButton('To the start page', site.home)),
    html`<p class="hint">${status} ${code}</p>`,
  ];
  return c.html(document(frame, { title, lead: advice, body }).toString(), status);
}

interface Around {
  readonly navigation: readonly Link[];
  readonly account: AccountCorner;
}

const NOTHING_AROUND: Around = { navigation: [], account: { kind: 'none' } };

/** What stands around every other page; less where the guards have not come to know the visitor yet. */
function around<Person>(c: Exchange, site: Site<Person>, code: RefusalCode): Around {
  // Under a foreign name our own addresses lead nowhere.
  if (code === 'host-not-listed') return NOTHING_AROUND;
  const visit = visitOf<Person>(c);
  if (visit === null) return { ...NOTHING_AROUND, navigation: site.navigation(null) };
  return { navigation: site.navigation(visit.person), account: accountCorner(site, visit) };
}

/** A refusal may come from a guard that stands before the one that sets it. */
const visitOf = <Person>(c: Exchange): Visit<Person> | null =>
  (c as Exchange & { readonly var: Partial<PageEnv<Person>['Variables']> }).var.visit ?? null;

/** Scripts, the `dashboard` commands among them, ask for JSON. */
export const wantsJson = (c: Exchange): boolean =>
  c.req.header('accept')?.includes('application/json') === true;
