import { Hono } from 'hono';
import { PASSWORD_MOST } from '../../../web/auth/passwords.ts';
import { type SignInRefused, TOO_MANY_ATTEMPTS, wrongSignIn } from '../../../web/auth/sign-in-refused.ts';
import { signOut, startSession } from '../../../web/auth/start-session.ts';
import { type Entered, exactText, line, readFields } from '../../../web/fields.ts';
import {
  card,
  type FormState,
  form,
  freshForm,
  html,
  inputField,
  refusedForm,
  submitButton,
} from '../../../web/kit.ts';
import type { Page } from '../../../web/layout.ts';
import { localPath } from '../../../web/local-path.ts';
import { formFaults, seeOther, showPage } from '../../../web/show.ts';
import { clientAddress, type PageContext, type PageEnv } from '../../../web/site.ts';
import type { Account } from '../account.ts';
import type { Accounts } from '../accounts.ts';
import { paths } from '../paths.ts';
import { NAME_MOST } from './account-fields.ts';

const FIELDS = {
  name: line({ label: 'Name', most: NAME_MOST }),
  password: exactText({ label: 'Password', most: PASSWORD_MOST }),
} as const;

/** Signing in and out. */
export function signInPages(accounts: Accounts): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  pages.get(paths.signIn, (c) => {
    const next = localPath(c.req.query('next'), paths.dashboard);
    if (c.var.visit.person !== null) return seeOther(c, next);
    return showPage(c, signInPage({ state: freshForm, csrf: c.var.visit.csrf, next }));
  });
  pages.post(paths.signIn, (c) => signIn(c, accounts));
  pages.post(paths.signOut, (c) => signOut(c, accounts));
  return pages;
}

async function signIn(c: PageContext<Account>, accounts: Accounts): Promise<Response> {
  const { entered, visit } = c.var;
  const next = localPath(entered.next?.[0], paths.dashboard);
  const again = { csrf: visit.csrf, next };
  const read = readFields(entered, FIELDS);
  if (read.kind === 'faults') {
    return showPage(c, signInPage({ ...again, state: { entered, faults: read.faults } }), 422);
  }
  const result = await accounts.signIn(
    read.values.name,
    read.values.password,
    clientAddress(c),
    c.var.cookies.known(c),
  );
  switch (result.kind) {
    case 'signed-in':
      await startSession(c, accounts, result);
      return seeOther(c, next);
    case 'wrong':
      return showPage(c, signInPage({ ...again, state: wrong(entered), refused: WRONG }), 422);
    case 'too-many-attempts':
      c.header('Retry-After', String(result.retryAfterSeconds));
      return showPage(c, signInPage({ ...again, state: wrong(entered), refused: TOO_MANY_ATTEMPTS }), 429);
  }
}

const WRONG = wrongSignIn('name or password');

const wrong = (entered: Entered): FormState => ({ entered, faults: {} });

interface SignInPage {
  readonly state: FormState;
  readonly csrf: string;
  readonly next: string;
  readonly refused?: SignInRefused;
}

const signInPage = ({ state, csrf, next, refused }: SignInPage): Page => ({
  title: 'Sign in',
  narrow: true,
  refused: refused ?? refusedForm(state.faults),
  json: refused
    ? { code: refused.code, message: `${refused.title}. ${refused.advice}` }
    : formFaults(state.faults),
  body: [
    card({
      body: form({
        action: paths.signIn,
        csrf,
        with: { next },
        state,
        fields: [
          inputField(state, { name: 'name', label: 'Name', autocomplete: 'username' }),
          inputField(state, {
            name: 'password',
            label: 'Password',
            kind: 'password',
            autocomplete: 'current-password',
          }),
        ],
        submit: submitButton('Sign in'),
      }),
    }),
    html`<p class="hint">To get an account, ask a listing’s owner for an invitation. The first account was printed when
      this service first started.</p>`,
  ],
});
