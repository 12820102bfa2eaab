import { expect, test } from 'vitest';
import { fakeListener } from '../../support/fake-listener.ts';
import { sink } from '../../support/sink.ts';
import { wholeSite } from '../../support/whole-site.ts';
import type { Person } from './browser.ts';

const ADDRESS = '127.0.0.77';
const FORWARDED = '203.0.113.77';

/** Votes with the headers that a proxy would add. */
async function castBehindProxy(voter: Person, page: string) {
  await voter.open(page);
  const headers = { 'x-forwarded-for': FORWARDED, forwarded: `for=${FORWARDED}`, 'x-real-ip': FORWARDED };
  const { status } = await voter.visitor.post(`${page}/vote`, { player: 'Steve' }, headers);
  expect(status).toBe(303);
}

test('the voter’s IP address never appears in a webhook, embed, listener packet, API answer or page (SV-11)', async () => {
  const site = await wholeSite({ channelHosts: ['127.0.0.1'] });
  const owner = await site.person();
  const [listener, receiver, channel] = [await fakeListener(), await sink(), await sink()];
  const [listing, other] = [await owner.list('minecraft'), await owner.list('minecraft')];
  await owner.saveListener(listing, { port: String(listener.port) });
  await owner.saveWebhook(listing, receiver.url);
  await owner.saveWebhook(other, `http://127.0.0.1:${channel.port}/api/webhooks/1/token`);
  const voter = await site.person('a voter', ADDRESS);
  for (const { page } of [listing, other]) await castBehindProxy(voter, page);
  await site.quiet();

  const token = await owner.token(listing, 'votes:read');
  const query = { userId: voter.userId };
  const answers = [
    await site.api.get('/webhooks/votes', { token }),
    await site.api.get('/webhooks/stats', { token }),
    await site.api.get('/webhooks/votes/check', { token, query }),
    await site.api.post('/webhooks/votes/check', { token, body: { playerNames: ['Steve'] } }),
  ];
  const sent = [...receiver.requests, ...channel.requests].map(({ body, headers }) => [
    String(body),
    headers,
  ]);
  const addresses = ['', '/webhook', '/deliveries', '/listener'].map((at) => listing.dashboard + at);
  const id = receiver.requests[0]!.headers['x-service-delivery'];
  addresses.push(listing.page, other.page, '/', `${listing.dashboard}/deliveries/${id}`);
  const pages = await Promise.all(
    addresses.map(async (at) => [(await owner.open(at)).html, await owner.values(at)]),
  );

  expect([receiver.requests.length, channel.requests.length, listener.connections]).toEqual([1, 1, 1]);
  expect(channel.requests[0]!.json).toHaveProperty('embeds');
  expect(listener.received[0]!.toString()).toContain('0.0.0.0');
  expect(answers[2]!.body.voted).toBe(true);
  const all = JSON.stringify([
    sent,
    String(listener.received[0]),
    answers.map(({ body, headers }) => [body, ...headers]),
    pages,
  ]);
  expect(all).toContain(voter.userId);
  for (const address of [ADDRESS, FORWARDED]) expect(all).not.toContain(address);
});

test('the service uses the voter’s IP address to limit wrong passwords (SV-11)', async () => {
  const site = await wholeSite();
  const names = [await site.person(), await site.person(), await site.person()].map(({ name }) => name);
  const guess = async (from: string, name: string) => {
    const visitor = site.visitor(from);
    return (await visitor.press('/sign-in', '/sign-in', { name, password: 'wrong' })).status;
  };
  for (const name of names)
    for (let time = 0; time < 10; time++) expect(await guess(ADDRESS, name)).toBe(422);
  const another = await site.person('nobody has guessed');
  expect(await guess(ADDRESS, another.name)).toBe(429);
  expect(await guess('127.0.0.78', another.name)).toBe(422);
});
