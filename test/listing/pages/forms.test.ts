/** Forms: what a refused one shows, and that no reload sends one again. Text from people and receivers is shown as text. */
import { expect, test } from 'vitest';
import { fakeListener } from '../../kit/listener.ts';
import { listing } from '../../kit/listing.ts';
import { type Shown, shownPage } from '../../kit/listing-page.ts';
import { hook } from '../../kit/listing-webhook.ts';
import { receiver as sink } from '../../kit/receiver.ts';
import { answerOf, opened, postedForms } from '../../support/fake-browser.ts';

interface Refused {
  readonly at: string;
  readonly to?: string;
  readonly fields: Readonly<Record<string, string>>;
  /** What the answer has of it. */
  readonly typed?: readonly string[];
}

const LONG = 'typed'.repeat(50);

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
  const site = await listing({ isPractice: true });
  const { listed, owner } = await site.owned();
  await owner.saveWebhook(listed, (await sink()).url);
  await owner.saveListener(listed, { port: '1' });
  const path = (written: string) => written.replace(/^D/, listed.dashboard).replace(/^L/, listed.page);
  return { site, owner, listed, path, browser: owner.visitor };
}

test('a refused form is shown with what was typed, also when it is reloaded, and is refreshed', async () => {
  const { browser, path } = await owned();
  for (const { at, to = at, fields, typed = [] } of FORMS) {
    const answer = await answerOf(browser, { page: path(at), action: path(to), fields });
    for (const { status, text } of [answer.shown, answer.reloaded]) {
      expect([at, fields, status]).toEqual([at, fields, 422]);
      for (const part of typed) expect(text).toContain(part);
    }
    expect([answer.refreshed.status, answer.refreshed.to]).toEqual([200, null]);
  }
});

test('no form into which something can be typed is missing above, and the address of each form leads to a page', async () => {
  const { browser, path } = await owned();
  const forms = await postedForms(browser, ['/', '/dashboard', '/practice/clock']);
  const typed = forms.filter(({ isTyped }) => isTyped).map(({ action }) => action);
  expect(typed.toSorted()).toEqual([...new Set(FORMS.map(({ at, to = at }) => path(to)))].toSorted());
  for (const { action } of forms)
    expect([action, (await opened(browser, action)).status]).toEqual([action, 200]);
});

test('before signing in, the address of a refused form is a page too', async () => {
  const { site, owner, listed } = await owned();
  const { visitor } = site.visitor();
  for (const page of ['/sign-in', await owner.invitation(listed)]) {
    const answer = await answerOf(visitor, { page, fields: { name: 'Typed', password: 'short' } });
    expect([answer.shown.status, answer.reloaded.status, answer.refreshed.status]).toEqual([422, 200, 200]);
    expect(answer.shown.text).toContain('value="Typed"');
  }
});

test('reloading after a form has made a secret makes no second one, and does not show the first', async () => {
  const { owner, path } = await owned();
  for (const [at, to, fields, secret] of [
    ['D/tokens', 'D/tokens', { name: 'another', scopes: 'votes:read' }, 'token'],
    ['D/tokens', 'D/tokens/rotate', {}, 'token'],
    ['D/people', 'D/people/invite', {}, 'invitation'],
    ['D/webhook', 'D/webhook', { secret: 'generate' }, 'made-secret'],
  ] as const) {
    const form = (await owner.open(path(at))).form(path(to));
    const made = await owner.visitor.post(path(to), { ...form?.fields, ...fields });
    // Reloaded under the address that it was sent to, a form is sent again.
    expect(made.at).not.toBe(path(to));
    expect([to, shownPage(made.at, made).code(secret)]).toEqual([to, expect.stringMatching(/./)]);
    const before = await owner.values(path(at));
    const reloaded = await owner.open(made.at);
    expect([to, reloaded.code(secret), reloaded.status]).toEqual([to, null, 200]);
    expect(await owner.values(path(at))).toEqual(before);
  }
});

/** Forms that are refused because of several fields, in the order in which the summary names them. */
const FAULTY: readonly (readonly [at: string, fields: Record<string, string>, faulty: string[]])[] = [
  ['D/webhook', { url: 'nowhere', secret: 'own', ownSecret: '' }, ['url', 'ownSecret']],
  ['D/listener', { host: '', method: 'public-key', credential: '' }, ['host', 'credential']],
  ['D/tokens', { name: '' }, ['name', 'scopes']],
  ['/new-listing', { name: '', kind: 'none' }, ['name', 'kind']],
];

test('a refused form starts with an error summary that has the focus and links to each field; so do a wrong password and a failed action, but no form that is shown for the first time', async () => {
  const { site, owner, path } = await owned();
  for (const [at, fields, faulty] of FAULTY) {
    const first = await owner.open(path(at));
    expect([at, first.tab.startsWith('Error'), first.html.includes('autofocus')]).toEqual([at, false, false]);
    const shown = await owner.post(path(at), fields);
    expect([at, shown.status, shown.tab]).toEqual([at, 422, expect.stringMatching(/^Error: /)]);
    expect(shown.alerts[0]).toMatchObject({ tone: 'bad', role: 'alert' });
    const summaries = [...shown.html.matchAll(/tabindex="-1" autofocus>([\s\S]*?)<\/ul>/g)];
    expect(summaries).toHaveLength(1);
    expect([...summaries[0]![1]!.matchAll(/href="#(\w+)"/g)].map(([, name]) => name)).toEqual(faulty);
    expect(Object.keys(shown.faults).toSorted()).toEqual(faulty.toSorted());
    for (const name of faulty) {
      expect(shown.html).toMatch(new RegExp(`<(input|textarea)[^>]* id="${name}"`));
      expect(shown.html).toMatch(new RegExp(`aria-describedby="[^"]*\\b${name}-fault\\b`));
    }
  }
  const signIn = await site.visitor().open('/sign-in');
  expect([signIn.tab.startsWith('Error'), signIn.html.includes('autofocus')]).toEqual([false, false]);
  const fields = { name: 'nobody', password: 'nothing' };
  const wrong = await site.visitor().press('/sign-in', '/sign-in', fields);
  const failed = await owner.press(path('D/listener'), path('D/listener/test'), { player: 'Steve' });
  for (const shown of [wrong, failed]) {
    expect([shown.tab, shown.alerts[0]!.tone]).toEqual([expect.stringMatching(/^Error: /), 'bad']);
    expect(shown.html).toContain('tabindex="-1" autofocus');
  }
});

const script = (of: string) => `<script>alert('${of}')</script>`;
const AS_TEXT = (of: string) => `&lt;script&gt;alert(&#39;${of}&#39;)&lt;/script&gt;`;

/** Expects that the page has no script but its own file, and no handlers. */
function expectInert({ path, html }: Shown): void {
  const scripts = [...html.matchAll(/<script\b[^>]*>/gi)].map(([tag]) => tag);
  const others = scripts.filter((tag) => !/^<script type="module" src="\/[^"]+">$/.test(tag));
  expect([path, others]).toEqual([path, []]);
  expect([path, /<[^>]* on\w+=/i.test(html)]).toEqual([path, false]);
}

/** A listing whose name and owner's name are scripts. */
async function namedSite() {
  const site = await listing();
  const owner = await site.person(script('owner'));
  const listed = await owner.list('minecraft', { name: script('listing') });
  return { site, owner, listed };
}

test('WF-06: names of listings, people and tokens, and what was entered in a refused form, are text on every page', async () => {
  const { site, owner, listed } = await namedSite();
  const manager = await site.person(script('manager'));
  await owner.invite(listed, manager);
  const tokens = `${listed.dashboard}/tokens`;
  const created = await owner.press(tokens, tokens, { name: script('token'), scopes: ['votes:read'] });
  const pages = await Promise.all(
    ['', '/webhook', '/deliveries', '/listener', '/tokens', '/people'].map((at) =>
      owner.open(listed.dashboard + at),
    ),
  );
  pages.push(created, await owner.open('/'), await owner.open('/dashboard'), await owner.open(listed.page));
  for (const page of pages) {
    expectInert(page);
    expect([page.path, page.html.includes(AS_TEXT('listing'))]).toEqual([page.path, true]);
    expect(page.html).toContain(AS_TEXT('owner'));
  }
  expect(created.html).toContain(AS_TEXT('token'));
  expect(pages[5]!.html).toContain(AS_TEXT('manager'));
  expect(pages[5]!.rows.map(({ Name }) => Name)).toEqual([script('owner'), script('manager')]);

  const hostile = `"><b onfocus=x>${script('field')}`;
  const webhook = await owner.saveWebhook(listed, hostile);
  const listener = await owner.saveListener(listed, { host: hostile, credential: 'x' });
  expect([webhook.status, listener.status]).toEqual([422, 422]);
  expect(webhook.form(`${listed.dashboard}/webhook`)!.fields.url).toEqual([hostile]);
  expect(listener.form(`${listed.dashboard}/listener`)!.fields.host).toEqual([hostile]);
  for (const { html } of [webhook, listener]) {
    expect(html).not.toContain('<b onfocus');
    expect(html).not.toContain(script('field'));
  }
});

test('WF-06: what a receiver and a listener answer is text, and so is a player’s name, which the listener gets as entered', async () => {
  const refusal = JSON.stringify({ status: 'error', cause: 'x', error: script('listener') });
  const listener = await fakeListener((socket) => {
    socket.end(`${refusal}\r\n`);
  });
  const receiver = await sink((response) => {
    response.writeHead(500, { 'content-type': 'text/html' }).end(`</pre>${script('receiver')}`);
  });
  const { site, owner, listed } = await namedSite();
  await owner.saveListener(listed, { port: String(listener.port) });
  await owner.saveWebhook(listed, receiver.url);
  const cast = await owner.voteOn(listed, '<b>Steve');
  await site.quiet();
  const id = receiver.requests[0]!.headers['x-service-delivery'];
  const delivery = await owner.open(`${listed.dashboard}/deliveries/${id}`);
  expect(delivery.code('response')).toBe(`</pre>${script('receiver')}`);
  const at = `${listed.dashboard}/listener`;
  site.clock.advance(1);
  const tested = await owner.press(at, `${at}/test`, { player: 'Steve' });
  expect(tested.said).toContain(script('listener'));
  expect(tested.rows.map(({ Player, detail }) => [Player, detail])).toEqual([
    ['Steve', expect.stringContaining(script('listener'))],
    ['<b>Steve', expect.stringContaining(script('listener'))],
  ]);
  expect(cast.html).toContain('&lt;b&gt;Steve');
  for (const page of [cast, delivery, tested]) {
    expectInert(page);
    expect(page.html).not.toContain('<b>Steve');
  }
  expect(listener.received[0]!.toString()).toContain('<b>Steve');
});

const [ADDRESS, FORWARDED] = ['127.0.0.77', '203.0.113.77'];

test('SV-11: the voter’s IP address is in no webhook, embed, listener packet, API answer or page', async () => {
  const site = await listing({ channelHosts: ['127.0.0.1'] });
  const { listed, owner, token } = await site.owned();
  const other = await owner.list();
  const [listener, channel] = [await fakeListener(), await sink()];
  const { receiver } = await hook(site, owner, listed);
  await owner.saveListener(listed, { port: String(listener.port) });
  await owner.saveWebhook(other, `http://127.0.0.1:${channel.port}/api/webhooks/1/token`);
  const voter = await site.person('a voter', ADDRESS);
  // The headers that a proxy would add.
  const headers = { 'x-forwarded-for': FORWARDED, forwarded: `for=${FORWARDED}`, 'x-real-ip': FORWARDED };
  for (const { page } of [listed, other])
    expect((await voter.visitor.post(`${page}/vote`, { player: 'Steve' }, headers)).status).toBe(303);
  await site.quiet();

  const answers = [
    await site.api.get('/webhooks/votes', { token }),
    await site.api.get('/webhooks/stats', { token }),
    await site.api.get('/webhooks/votes/check', { token, query: { userId: voter.userId } }),
    await site.api.post('/webhooks/votes/check', { token, body: { playerNames: ['Steve'] } }),
  ];
  const sent = [...receiver.requests, ...channel.requests].map((each) => [String(each.body), each.headers]);
  const id = receiver.requests[0]!.headers['x-service-delivery'];
  const sections = ['', '/webhook', '/deliveries', `/deliveries/${id}`, '/listener'];
  const pages = [];
  for (const at of [...sections.map((section) => listed.dashboard + section), listed.page, other.page, '/'])
    pages.push((await owner.open(at)).html, await owner.values(at));

  expect([receiver.requests.length, channel.requests.length, listener.connections]).toEqual([1, 1, 1]);
  expect(channel.requests[0]!.json).toHaveProperty('embeds');
  expect(listener.received[0]!.toString()).toContain('0.0.0.0');
  expect(answers[2]!.body.voted).toBe(true);
  const said = answers.map(({ body, headers: own }) => [body, ...own]);
  const all = JSON.stringify([sent, String(listener.received[0]), said, pages]);
  expect(all).toContain(voter.userId);
  for (const address of [ADDRESS, FORWARDED]) expect(all).not.toContain(address);
});
