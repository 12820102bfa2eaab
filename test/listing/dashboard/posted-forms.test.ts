import { expect, test } from 'vitest';
import { answerOf, opened, postedForms } from '../../support/posted-forms.ts';
import { sink } from '../../support/sink.ts';
import { testKey } from '../../support/vectors.ts';
import { wholeSite } from '../../support/whole-site.ts';
import { shownPage } from './shown-page.ts';

interface Refused {
  readonly at: string;
  readonly to?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What the answer has of it. */
  readonly typed?: readonly string[];
}

const LONG = 'typed'.repeat(50);

const pem = (key: string): string => `-----BEGIN PUBLIC KEY-----\n${key}\n-----END PUBLIC KEY-----`;

/** Every form into which something can be typed; L is a listing, D its dashboard. */
const FORMS: readonly Refused[] = [
  { at: '/account', fields: { current: 'wrong', password: 'short' } },
  {
    at: '/new-listing',
    fields: { name: LONG, kind: 'fivem' },
    typed: [`value="${LONG}"`, 'value="fivem" checked'],
  },
  { at: '/practice/clock', fields: { advance: 'a while' }, typed: ['value="a while"'] },
  { at: 'L', to: 'L/vote', fields: { player: 'two words' }, typed: ['value="two words"'] },
  { at: 'L', to: 'L/vote', fields: { player: '' } },
  {
    at: 'D/webhook',
    fields: { url: 'not a URL', secret: 'none' },
    typed: ['value="not a URL"', 'value="none" checked', 'name="active" value="on">'],
  },
  {
    at: 'D/listener',
    fields: { host: 'no host', port: '99', method: 'public-key', credential: 'no key' },
    typed: ['value="no host"', 'value="99"', 'value="public-key" checked'],
  },
  { at: 'D/listener', to: 'D/listener/test', fields: { player: 'two words' }, typed: ['value="two words"'] },
  { at: 'D/listener', to: 'D/listener/test', fields: { player: '' } },
  {
    at: 'D/tokens',
    fields: { name: LONG, scopes: 'webhooks:write' },
    typed: [`value="${LONG}"`, 'value="votes:read">', 'value="webhooks:write" checked'],
  },
];

/** A listing that has everything of which there can be a form. */
async function owned() {
  const site = await wholeSite({ isPractice: true });
  const owner = await site.person();
  const listing = await owner.list();
  await owner.saveWebhook(listing, (await sink()).url);
  await owner.saveListener(listing, { port: '1' });
  await owner.token(listing, 'votes:read');
  const path = (written: string) => written.replace(/^D/, listing.dashboard).replace(/^L/, listing.page);
  return { site, owner, listing, path, browser: owner.visitor };
}

test.each(FORMS)(
  'a refused form at $at ($fields) is shown with what was typed, also when it is reloaded, and is refreshed',
  async ({ at, to = at, fields, typed = [] }) => {
    const { browser, path } = await owned();
    const answer = await answerOf(browser, { page: path(at), action: path(to), fields });
    for (const { status, text } of [answer.shown, answer.reloaded]) {
      expect(status).toBe(422);
      for (const part of typed) expect(text).toContain(part);
    }
    expect([answer.refreshed.status, answer.refreshed.to]).toEqual([200, null]);
  },
);

test('no form into which something can be typed is missing above, and the address of each form leads to a page', async () => {
  const { browser, path } = await owned();
  const forms = await postedForms(browser, ['/', '/dashboard', '/practice/clock']);
  const typed = forms.filter(({ isTyped }) => isTyped).map(({ action }) => action);
  expect(typed.toSorted()).toEqual([...new Set(FORMS.map(({ at, to = at }) => path(to)))].toSorted());
  for (const { action } of forms)
    expect([action, (await opened(browser, action)).status]).toEqual([action, 200]);
});

test('before signing in, the address of a refused form is a page too', async () => {
  const { site, owner, listing } = await owned();
  const { visitor } = site.visitor();
  const invited = await owner.press(`${listing.dashboard}/people`, `${listing.dashboard}/people/invite`);
  const { pathname } = new URL(invited.code('invitation')!);
  for (const page of ['/sign-in', pathname]) {
    const answer = await answerOf(visitor, { page, fields: { name: 'Typed', password: 'short' } });
    expect([answer.shown.status, answer.reloaded.status, answer.refreshed.status]).toEqual([422, 200, 200]);
    expect(answer.shown.text).toContain('value="Typed"');
  }
});

test.each([
  ['that was not accepted', 0],
  ['beyond the limit', 10],
])('the player of a test vote %s does not have to be entered again', async (_, earlier) => {
  const { owner, listing } = await owned();
  const at = `${listing.dashboard}/listener`;
  for (let time = 0; time < earlier; time++) await owner.press(at, `${at}/test`, { player: 'Alex' });
  const shown = await owner.press(at, `${at}/test`, { player: 'Steve' });
  expect(shown.form(`${at}/test`)?.fields.player).toEqual(['Steve']);
});

interface Made {
  readonly at: string;
  readonly to?: string;
  readonly fields?: Readonly<Record<string, string>>;
  readonly secret: string;
}

/** What is made and shown once. */
const MADE: readonly Made[] = [
  { at: 'D/tokens', fields: { name: 'another', scopes: 'votes:read' }, secret: 'token' },
  { at: 'D/tokens', to: 'D/tokens/rotate', secret: 'token' },
  { at: 'D/people', to: 'D/people/invite', secret: 'invitation' },
  { at: 'D/webhook', fields: { secret: 'generate' }, secret: 'made-secret' },
];

test.each(MADE)(
  'reloading after $to $at has made a secret makes no second one, and does not show the first',
  async ({ at, to = at, fields = {}, secret }) => {
    const { owner, path } = await owned();
    const form = (await owner.open(path(at))).form(path(to));
    const made = await owner.visitor.post(path(to), { ...form?.fields, ...fields });
    // Reloaded under the address that it was sent to, a form is sent again.
    expect(made.at).not.toBe(path(to));
    const before = await owner.values(path(at));
    const reloaded = await owner.open(made.at);
    expect([shownPage(made.at, made).code(secret), reloaded.code(secret), reloaded.status]).toEqual([
      expect.stringMatching(/./),
      null,
      200,
    ]);
    expect(await owner.values(path(at))).toEqual(before);
  },
);

/** The start of a key, which is also too short for version 1, and could be a token by its characters. */
const CUT_OFF_KEY = testKey.publicKey.slice(0, 200);

test.each([
  ['token', testKey.publicKey, 'credential-is-public-key'],
  ['token', pem(testKey.publicKey), 'credential-is-public-key'],
  ['token', CUT_OFF_KEY, 'credential-is-public-key'],
  ['public-key', 'o8hd3n2k5vj1q0r9s7t6u4w2x1', 'credential-is-token'],
  ['public-key', CUT_OFF_KEY, 'form-invalid'],
  ['token', 'two words', 'form-invalid'],
])('a %s that is %j is refused with %s, and the stored one stays', async (method, credential, code) => {
  const { owner, path } = await owned();
  const fields = { host: '127.0.0.1', port: '1', method, credential };
  await owner.open(path('D/listener'));
  const refused = await owner.answer(path('D/listener'), fields);
  expect([refused.code, Object.keys(refused.faults)]).toEqual([code, ['credential']]);
  expect((await owner.values(path('D/listener'))).settings.method).toBe('token');
});

test.each(['keep', 'generate', 'none'])(
  'a secret that was entered beside “%s” is refused, not dropped',
  async (secret) => {
    const { owner, listing, path } = await owned();
    const url = (await sink()).url;
    await owner.saveWebhook(listing, url, { secret: 'own', ownSecret: 'the first secret' });
    const fields = { url, secret, ownSecret: 'another secret', active: 'on' };
    const refused = await owner.answer(path('D/webhook'), fields);
    expect([refused.code, Object.keys(refused.faults)]).toEqual(['secret-not-chosen', ['ownSecret']]);
  },
);
