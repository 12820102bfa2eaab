import { wrongSignIn } from '../../web/auth/sign-in-refused.ts';
import {
  card,
  code,
  type FormState,
  form,
  freshForm,
  html,
  inputField,
  postButton,
  type Refused,
  submitButton,
} from '../../web/kit.ts';
import type { Page } from '../../web/layout.ts';
import { paths } from '../paths.ts';
import type { Typed } from '../told.ts';

export interface SignInPage {
  readonly state: FormState;
  readonly csrf: string;
  readonly next: string;
  readonly hasPassword: boolean;
  /** How commands are typed on this machine. */
  readonly command: Typed;
  readonly refused?: Refused | null;
}

export const WRONG = wrongSignIn('password');
export const LINK_USED = {
  title: 'This link was used before',
  advice: 'Each link works once. Get another as described below.',
  faults: {},
} satisfies Refused;

export const signInPage = (page: SignInPage): Page => ({
  title: 'Sign in',
  narrow: true,
  refused: page.refused ?? null,
  body: [page.hasPassword && passwordCard(page), linkHint(page)],
});

/** For what is shown only shortly after signing in. The new sign-in starts a new session. */
export const signInAgainPage = (page: Omit<SignInPage, 'state'>, why: string): Page => ({
  title: 'Sign in again',
  narrow: true,
  lead: why,
  body: [page.hasPassword && passwordCard({ ...page, state: freshForm }), linkHint(page)],
});

/** What a one-time link opens. Only its button uses the link up. */
export const linkPage = (code: string, csrf: string): Page => ({
  title: 'Open the console',
  narrow: true,
  lead: 'This link works once. The button signs this browser in.',
  body: postButton({ action: paths.open(code), csrf, label: 'Open the console', kind: 'primary' }),
});

const passwordCard = ({ state, csrf, next }: SignInPage) =>
  card({
    body: form({
      action: paths.signIn,
      csrf,
      with: { next },
      state,
      fields: [
        inputField(state, {
          name: 'password',
          label: 'Password',
          kind: 'password',
          autocomplete: 'current-password',
        }),
      ],
      submit: submitButton('Sign in'),
    }),
  });

const linkHint = ({ hasPassword, command }: Pick<SignInPage, 'hasPassword' | 'command'>) =>
  hasPassword
    ? html`<p class="hint">Forgot it, or locked out? On the machine where Teller runs, ${code(command('console open'))} opens this
        page without a password, and ${code(command('console password'))} sets a new one.</p>`
    : card({
        title: 'Open with a one-time link',
        body: html`<p>On the machine where Teller runs, type:</p>
          <p>${code(command('console open'))}</p>
          <p class="hint">It prints a link that works once. Open it in this browser: it leads to the page that you
          wanted. To sign in with a password instead, type ${code(command('console password'))}.</p>`,
      });
