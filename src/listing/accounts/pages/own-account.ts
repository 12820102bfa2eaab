import { Hono } from 'hono';
import { TOO_MANY_ATTEMPTS } from '../../../web/auth/sign-in-refused.ts';
import { signOutEverywhere, startSession } from '../../../web/auth/start-session.ts';
import { readFields } from '../../../web/fields.ts';
import {
  card,
  code,
  columns,
  type FormState,
  facts,
  form,
  freshForm,
  inputField,
  type Page,
  postButton,
  refusedForm,
  submitButton,
} from '../../../web/kit.ts';
import { formFaults, seeOther, showPage } from '../../../web/show.ts';
import { clientAddress, type PageContext } from '../../../web/site.ts';
import type { Account } from '../account.ts';
import type { Accounts } from '../accounts.ts';
import { type AccountEnv, signedInOnly } from '../guards.ts';
import { paths } from '../paths.ts';
import { newPasswordInput, passwordFields } from './account-fields.ts';

/** The account's name and user ID, and the form that changes its password. */
export function ownAccountPage(accounts: Accounts): Hono<AccountEnv> {
  const pages = new Hono<AccountEnv>();
  pages.use(paths.account, signedInOnly);
  pages.use(paths.endSessions, signedInOnly);
  pages.get(paths.account, (c) => showPage(c, page(c.var.account, freshForm, c.var.visit.csrf)));
  pages.post(paths.account, (c) => changePassword(c, accounts, c.var.account));
  pages.post(paths.endSessions, (c) => signOutEverywhere(c, accounts, c.var.account));
  return pages;
}

async function changePassword(
  c: PageContext<Account>,
  accounts: Accounts,
  account: Account,
): Promise<Response> {
  const { entered, visit } = c.var;
  const again = (faults: FormState['faults']) =>
    showPage(c, page(account, { entered, faults }, visit.csrf), 422);
  const read = readFields(entered, passwordFields);
  if (read.kind === 'faults') return again(read.faults);
  // Checked through `signIn`, so that wrong passwords count against the sign-in limits here as well.
  const proof = await accounts.signIn(
    account.name,
    read.values.current,
    clientAddress(c),
    c.var.cookies.known(c),
  );
  if (proof.kind === 'too-many-attempts')
    return again({ current: `${TOO_MANY_ATTEMPTS.title}. ${TOO_MANY_ATTEMPTS.advice}` });
  if (proof.kind === 'wrong') return again({ current: 'This is not your current password.' });
  await accounts.setPassword(account, read.values.password);
  await startSession(c, accounts, await accounts.enter(account));
  return seeOther(c, paths.account, {
    tone: 'good',
    text: 'Password changed. All your other sessions are signed out.',
  });
}

const page = (account: Account, state: FormState, csrf: string): Page => ({
  title: 'Your account',
  refused: refusedForm(state.faults),
  json: state === freshForm ? account : formFaults(state.faults),
  body: columns(
    card({
      title: 'Account',
      body: facts([
        ['Name', account.name],
        ['User ID', code(account.userId)],
      ]),
      actions: postButton({ action: paths.endSessions, csrf, label: 'Sign out everywhere', small: true }),
    }),
    card({
      title: 'Change password',
      note: 'This signs you out everywhere else.',
      body: form({
        action: paths.account,
        csrf,
        state,
        fields: [
          inputField(state, {
            name: 'current',
            label: 'Current password',
            kind: 'password',
            autocomplete: 'current-password',
          }),
          newPasswordInput(state, 'New password'),
        ],
        submit: submitButton('Change password'),
      }),
    }),
  ),
});
