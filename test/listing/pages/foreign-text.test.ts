/** Text from people and receivers is shown as text; what must not be shown is not. */
import { expect, test } from 'vitest';
import { fakeListener } from '../../kit/listener.ts';
import { listing } from '../../kit/listing.ts';
import type { Shown } from '../../kit/listing-page.ts';
import { hook } from '../../kit/listing-webhook.ts';
import { sink } from '../../support/sink.ts';

const script = (of: string) => `<script>alert('${of}')</script>`;
const AS_TEXT = (of: string) => `&lt;script&gt;alert(&#39;${of}&#39;)&lt;/script&gt;`;

/** Expects that the page has no script but its own file, and no handlers. */
function expectInert({ path, html }: Shown): void {
  const scripts = [...html.matchAll(/<script\b[^>]*>/gi)].map(([tag]) => tag);
  expect([path, scripts.filter((tag) => !/^<script type="module" src="\/[^"]+">$/.test(tag))]).toEqual([
    path,
    [],
  ]);
  expect([path, /<[^>]* on\w+=/i.test(html)]).toEqual([path, false]);
}

async function namedSite() {
  const site = await listing();
  const owner = await site.person(script('owner'));
  const listed = await owner.list('minecraft', { name: script('listing') });
  return { site, owner, listed };
}

test('escapes names of listings, people and tokens on every page (WF-06)', async () => {
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
});

test('escapes a receiver’s response on the page of its delivery (WF-06)', async () => {
  const { site, owner, listed } = await namedSite();
  const receiver = await sink((response) => {
    response.writeHead(500, { 'content-type': 'text/html' }).end(`</pre>${script('receiver')}`);
  });
  await owner.saveWebhook(listed, receiver.url);
  await site.cast(listed);
  await site.quiet();
  const id = receiver.requests[0]!.headers['x-service-delivery'];
  const page = await owner.open(`${listed.dashboard}/deliveries/${id}`);
  expectInert(page);
  expect(page.code('response')).toBe(`</pre>${script('receiver')}`);
});

test('escapes what was entered in a refused form (WF-06)', async () => {
  const { owner, listed } = await namedSite();
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

test('escapes a listener’s answer next to its vote (WF-06)', async () => {
  const answer = JSON.stringify({ status: 'error', cause: 'x', error: script('listener') });
  const listener = await fakeListener((socket) => {
    socket.end(`${answer}\r\n`);
  });
  const { owner, listed } = await namedSite();
  await owner.saveListener(listed, { port: String(listener.port) });
  const at = `${listed.dashboard}/listener`;
  const page = await owner.press(at, `${at}/test`, { player: 'Steve' });
  expectInert(page);
  expect(page.said).toContain(script('listener'));
  expect(page.rows[0]!.detail).toContain(script('listener'));
});

test('escapes markup in a player’s name, and sends it to the listener as entered (WF-06)', async () => {
  const listener = await fakeListener();
  const { site, owner, listed } = await namedSite();
  await owner.saveListener(listed, { port: String(listener.port) });
  const cast = await owner.voteOn(listed, '<b>Steve');
  await site.quiet();
  const log = await owner.open(`${listed.dashboard}/listener`);
  expect(cast.html).toContain('&lt;b&gt;Steve');
  expect(log.rows[0]!.Player).toBe('<b>Steve');
  for (const page of [cast, log]) expect(page.html).not.toContain('<b>Steve');
  expect(listener.received[0]!.toString()).toContain('<b>Steve');
});

const [ADDRESS, FORWARDED] = ['127.0.0.77', '203.0.113.77'];

test('SV-11: the voter’s IP address is in no webhook, embed, listener packet, API answer or page', async () => {
  const site = await listing({ channelHosts: ['127.0.0.1'] });
  const { listed, owner, token } = await site.owned();
  const other = await owner.list();
  const [listener, channel, { receiver }] = [
    await fakeListener(),
    await sink(),
    await hook(site, owner, listed),
  ];
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
