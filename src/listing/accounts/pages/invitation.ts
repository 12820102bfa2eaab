import { Hono } from 'hono';
import { startSession } from '../../../web/auth/start-session.ts';
import { readFields } from '../../../web/fields.ts';
import {
  actions,
  card,
  empty,
  type FormState,
  form,
  freshForm,
  html,
  inputField,
  linkButton,
  type Page,
  postButton,
  quoted,
  refusedForm,
  submitButton,
} from '../../../web/kit.ts';
import { seeOther, showPage } from '../../../web/show.ts';
import type { PageContext, PageEnv } from '../../../web/site.ts';
import type { Listing } from '../../contracts.ts';
import type { Account } from '../account.ts';
import type { Accounts } from '../accounts.ts';
import { type Acceptance, INVITATION_DAYS, type Invitations } from '../invitations.ts';
import { paths, signInThen } from '../paths.ts';
import { newAccountFields, newPasswordInput } from './account-fields.ts';

/** The page that an invitation's link opens: accept with the signed-in account, or create one. */
export function invitationPages(invitations: Invitations, accounts: Accounts): Hono<PageEnv<Account>> {
  const pages = new Hono<PageEnv<Account>>();
  pages.get('/invitations/:code', (c) => showInvitation(c, invitations, c.req.param('code'), freshForm));
  pages.post('/invitations/:code', async (c) => {
    const code = c.req.param('code');
    const { person } = c.var.visit;
    if (person !== null) return answer(c, await invitations.accept(code, person));
    const { entered } = c.var;
    const read = readFields(entered, newAccountFields);
    if (read.kind === 'faults') return showInvitation(c, invitations, code, { entered, faults: read.faults });
    const acceptance = await invitations.acceptAsNew(code, read.values.name, read.values.password);
    if (acceptance.kind === 'name-taken') {
      return showInvitation(c, invitations, code, { entered, faults: { name: NAME_TAKEN } });
    }
    if (acceptance.kind === 'accepted') {
      await startSession(c, accounts, await accounts.enter(acceptance.account));
    }
    return answer(c, acceptance);
  });
  return pages;
}

const NAME_TAKEN = 'This name is taken. If it is yours, sign in and open the link again.';

function answer(c: PageContext<Account>, acceptance: Acceptance): Response | Promise<Response> {
  switch (acceptance.kind) {
    case 'accepted':
      return seeOther(c, paths.listing(acceptance.listing.id), {
        tone: 'good',
        text: `You now manage ${acceptance.listing.name}.`,
      });
    case 'member-already':
      return seeOther(c, paths.listing(acceptance.listing.id), {
        tone: 'warn',
        code: 'member-already',
        text: `You’re already an owner or manager of ${acceptance.listing.name}. The invitation can still be used by someone else.`,
      });
    default:
      return showPage(c, gonePage, 410);
  }
}

function showInvitation(
  c: PageContext<Account>,
  invitations: Invitations,
  code: string,
  state: FormState,
): Response | Promise<Response> {
  const listing = invitations.listingOf(code);
  if (listing === null) return showPage(c, gonePage, 410);
  const { person, csrf } = c.var.visit;
  const at = { action: paths.invitation(code), csrf };
  const page = person === null ? newAccountPage(listing, state, at) : signedInPage(listing, person, at);
  return showPage(c, page, state === freshForm ? 200 : 422);
}

interface At {
  readonly action: string;
  readonly csrf: string;
}

const inviting = (listing: Listing) => ({
  title: 'You’re invited',
  lead: html`Help manage ${quoted(listing.name)}: its webhook, tokens, deliveries and votes.`,
  narrow: true,
});

const signedInPage = (listing: Listing, person: Account, at: At): Page => ({
  ...inviting(listing),
  body: [
    html`<p>You’re signed in as <strong>${quoted(person.name)}</strong>.</p>`,
    actions(postButton({ ...at, label: 'Accept', kind: 'primary' }), linkButton('Not now', paths.dashboard)),
  ],
});

const newAccountPage = (listing: Listing, state: FormState, at: At): Page => ({
  ...inviting(listing),
  refused: refusedForm(state.faults),
  body: [
    card({
      title: 'Create an account',
      body: form({
        ...at,
        state,
        fields: [
          inputField(state, {
            name: 'name',
            label: 'Name',
            autocomplete: 'username',
            hint: 'The listing’s owner and managers see it.',
          }),
          newPasswordInput(state, 'Password'),
        ],
        submit: submitButton('Create account and accept'),
      }),
    }),
    html`<p>Already have an account? <a href="${signInThen(at.action)}">Sign in</a> to accept.</p>`,
  ],
});

const gonePage: Page = {
  title: 'Invitation',
  narrow: true,
  body: empty({
    title: 'This invitation is no longer valid',
    advice: `An invitation works once and expires after ${INVITATION_DAYS} days. Ask the listing’s owner for a new one.`,
    actions: linkButton('My listings', paths.dashboard),
  }),
};
