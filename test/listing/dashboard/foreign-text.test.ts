import { expect, test } from 'vitest';
import { fakeListener } from '../../support/fake-listener.ts';
import { sink } from '../../support/sink.ts';
import { wholeSite } from '../../support/whole-site.ts';
import type { Shown } from './shown-page.ts';

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
  const site = await wholeSite();
  const owner = await site.person(script('owner'));
  const listing = await owner.list('minecraft', { name: script('listing') });
  return { site, owner, listing };
}

test('escapes names of listings, people and tokens on every page (WF-06)', async () => {
  const { site, owner, listing } = await namedSite();
  const manager = await site.person(script('manager'));
  await owner.invite(listing, manager);
  const tokens = `${listing.dashboard}/tokens`;
  const created = await owner.press(tokens, tokens, { name: script('token'), scopes: ['votes:read'] });
  const pages = await Promise.all(
    ['', '/webhook', '/deliveries', '/listener', '/tokens', '/people'].map((at) =>
      owner.open(listing.dashboard + at),
    ),
  );
  pages.push(created, await owner.open('/'), await owner.open('/dashboard'), await owner.open(listing.page));
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
  const { site, owner, listing } = await namedSite();
  const receiver = await sink((response) => {
    response.writeHead(500, { 'content-type': 'text/html' }).end(`</pre>${script('receiver')}`);
  });
  await owner.saveWebhook(listing, receiver.url);
  await site.vote(listing);
  await site.quiet();
  const id = receiver.requests[0]!.headers['x-service-delivery'];
  const page = await owner.open(`${listing.dashboard}/deliveries/${id}`);
  expectInert(page);
  expect(page.code('response')).toBe(`</pre>${script('receiver')}`);
});

test('escapes what was entered in a refused form (WF-06)', async () => {
  const { owner, listing } = await namedSite();
  const hostile = `"><b onfocus=x>${script('field')}`;
  const webhook = await owner.saveWebhook(listing, hostile);
  const listener = await owner.saveListener(listing, { host: hostile, credential: 'x' });
  expect([webhook.status, listener.status]).toEqual([422, 422]);
  expect(webhook.form(`${listing.dashboard}/webhook`)!.fields.url).toEqual([hostile]);
  expect(listener.form(`${listing.dashboard}/listener`)!.fields.host).toEqual([hostile]);
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
  const { owner, listing } = await namedSite();
  await owner.saveListener(listing, { port: String(listener.port) });
  const at = `${listing.dashboard}/listener`;
  const page = await owner.press(at, `${at}/test`, { player: 'Steve' });
  expectInert(page);
  expect(page.said).toContain(script('listener'));
  expect(page.rows[0]!.detail).toContain(script('listener'));
});

test('escapes markup in a player’s name, and sends it to the listener as entered (WF-06)', async () => {
  const listener = await fakeListener();
  const { site, owner, listing } = await namedSite();
  await owner.saveListener(listing, { port: String(listener.port) });
  const cast = await site.vote(listing, '<b>Steve');
  await site.quiet();
  const log = await owner.open(`${listing.dashboard}/listener`);
  expect(cast.html).toContain('&lt;b&gt;Steve');
  expect(log.rows[0]!.Player).toBe('<b>Steve');
  for (const page of [cast, log]) expect(page.html).not.toContain('<b>Steve');
  expect(listener.received[0]!.toString()).toContain('<b>Steve');
});
