/** The bytes of a delivery: its payload, its headers and its signature; and what a chat channel gets in their place. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { DAY, HOUR, RETRIES } from '../../kit/listing.ts';
import { KINDS } from '../../kit/listing-people.ts';
import { type Hooked, type HookedWanted, hook, hooked } from '../../kit/listing-webhook.ts';
import type { ReceiverRequest } from '../../kit/receiver.ts';
import { SECRET, signature } from '../../kit/webhook.ts';

const SIGNED = { secret: 'own', ownSecret: SECRET };
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Five requests: a vote that fails twice and is then delivered, its redelivery, and a test delivery. */
async function everyKind(wanted: HookedWanted = {}) {
  const scene = await hooked(wanted);
  scene.receiver.answers = [500, 500, 204];
  const vote = await scene.vote();
  for (const waitMs of RETRIES.slice(0, 2)) await scene.site.pass(waitMs);
  await scene.redeliver(vote.id);
  await scene.test();
  expect(scene.receiver.requests).toHaveLength(5);
  return { ...scene, vote, requests: scene.receiver.requests };
}

const header = (requests: readonly ReceiverRequest[], name: string) =>
  requests.map(({ headers }) => headers[name.toLowerCase()]);

test('PL-01, PL-02, PL-03, PL-06, PL-09, PL-17, PL-18, PL-19 [WH-1]: a delivery is an HTTP POST of this JSON', async () => {
  const { vote, receiver, listed } = await hooked();
  const { id, userId } = await vote('.Steve_1');
  const [request] = receiver.requests;
  expect(request!.method).toBe('POST');
  expect(request!.headers).toMatchObject({
    ...{ 'content-type': 'application/json', 'user-agent': 'Teller-Listing/1' },
  });
  expect(JSON.parse(request!.body.toString())).toEqual({
    event: 'vote.created',
    version: 1,
    eventId: id,
    timestamp: '2026-06-01T12:00:00.000Z',
    test: false,
    data: {
      listingId: listed.id,
      listingType: 'game',
      userId,
      votedAt: '2026-06-01T12:00:00.000Z',
      nextVoteAt: '2026-06-02T12:00:00.000Z',
      weight: 1,
      game: 'minecraft',
      playerName: '.Steve_1',
    },
  });
  expect(request!.body.toString()).toBe(JSON.stringify(request!.json));
  expect(request!.body.toString()).not.toMatch(/username|avatar/i);
  expect(request!.body.toString()).toMatch(/"userId":"1\d{17}"/);
});

test('PL-04, PL-06, PL-10, NS-24, HD-07 [WH-5]: retries hours later and a redelivery, the seventh attempt, send the same bytes', async () => {
  const { vote, spend, redeliver, receiver } = await hooked();
  receiver.answers = [500];
  const { id } = await vote();
  await spend();
  await redeliver(id);
  const bodies = receiver.requests.map(({ body }) => body.toString());
  expect([bodies.length, new Set(bodies).size]).toEqual([7, 1]);
  const attempts = header(receiver.requests, 'X-Service-Attempt');
  expect(attempts).toEqual(['1', '2', '3', '4', '5', '6', '7']);
});

test('PL-05, PL-08: a listing’s ID is always the same, and another listing has another one; no two votes have one event ID', async () => {
  const first = await hooked();
  await first.votes(1);
  await first.site.pass(DAY);
  await first.votes(1);
  const second = await hook(first.site, first.owner, await first.owner.list());
  await second.votes(1);
  const ids = [first, second].flatMap(({ receiver }) =>
    receiver.requests.map(({ json }) => json.data.listingId),
  );
  expect(ids).toEqual([first.listed.id, first.listed.id, second.listed.id]);
  const events = [first, second].flatMap(({ receiver }) => receiver.requests.map(({ json }) => json.eventId));
  expect(new Set(events).size).toBe(3);
});

test.each(KINDS)(
  'SV-02, SV-03, VN-02, PL-11, PL-13, PL-14, PL-15, PL-16 [WH-4]: a vote on a %s listing says what it is, and when the next one is possible',
  async (kind) => {
    const { vote, receiver, listed } = await hooked({ kind });
    await vote();
    const { votedAt, nextVoteAt, userId, ...data } = receiver.requests[0]!.json.data;
    const windowMs = Date.parse(String(nextVoteAt)) - Date.parse(String(votedAt));
    expect(windowMs).toBe((kind === 'bot' ? 12 : 24) * HOUR);
    expect(data).toEqual({
      ...{ listingId: listed.id, weight: 1 },
      ...(kind === 'bot' ? { listingType: 'bot' } : { listingType: 'game', game: kind, playerName: null }),
    });
  },
);

test('PL-07, PL-12, VS-03 [WH-3]: a premium vote weighs more and counts as one; a test delivery says so', async () => {
  const scene = await hooked({ kind: 'roblox', listed: { premium: 'on' } });
  const { site, receiver, owner, listed } = scene;
  await scene.votes(1);
  await scene.test();
  expect(receiver.requests.map(({ json }) => [json.test, json.data.weight])).toEqual([
    [false, 2],
    [true, 2],
  ]);
  const token = await site.token(listed, 'votes:read');
  expect((await site.api.get('/webhooks/stats', { token })).body.totalVotes).toBe(1);
  expect((await owner.values(listed.page)).votes).toBe(1);
});

test('HD-01, HD-02, HD-03, HD-04, HD-05, HD-06, HD-09 [WH-8]: the headers of votes, retries, redeliveries and tests, without a secret', async () => {
  const { requests, vote, attempts } = await everyKind();
  expect(header(requests, 'X-Service-Event')).toEqual(Array(5).fill('vote.created'));
  expect(header(requests, 'X-Service-Event-Id')).toEqual([vote.id, vote.id, vote.id, vote.id, 'test']);
  expect(header(requests, 'X-Service-Event-Id')).toEqual(requests.map(({ json }) => json.eventId));
  expect(header(requests, 'X-Service-Attempt')).toEqual(['1', '2', '3', '4', '1']);
  expect(header(requests, 'X-Webhook-Signature')).toEqual(Array(5).fill(undefined));
  const ids = header(requests, 'X-Service-Delivery').map(String);
  for (const id of ids) expect(id).toMatch(UUID);
  expect(new Set(ids).size).toBe(5);
  const logged = new Map((await attempts()).map(({ deliveryId, httpStatus }) => [deliveryId, httpStatus]));
  expect(ids.map((id) => logged.get(id))).toEqual([500, 500, 204, 204, 204]);
});

const signatureOf = ({ headers }: ReceiverRequest) => headers['x-webhook-signature'];

test('HD-08, HD-10, HD-11, NS-38 [WH-6]: the signature is over the exact bytes, and is the one that openssl computes', async () => {
  const { requests } = await everyKind({ fields: SIGNED });
  for (const request of requests) {
    const words = ['dgst', '-sha256', '-hmac', SECRET, '-r'];
    const [computed] = execFileSync('openssl', words, { input: request.body, encoding: 'utf8' }).split(' ');
    expect(signatureOf(request)).toBe(`sha256=${computed}`);
    expect(signatureOf(request)).not.toBe(signature(JSON.stringify(request.json, null, 2)));
  }
});

test('HD-09, HD-12: a retry is signed with the secret of its time, or not at all', async () => {
  for (const secret of ['the new one', null]) {
    const scene = await hooked({ fields: SIGNED });
    await scene.votes(1, 500, 204);
    await scene.save(secret === null ? {} : { secret: 'own', ownSecret: secret });
    await scene.site.pass(RETRIES[0]!);
    const [, retried] = scene.receiver.requests;
    expect(signatureOf(retried!)).toBe(secret === null ? undefined : signature(retried!.body, secret));
  }
});

const CHANNEL_TOKEN = 'token-of-the-channel';

/** A chat channel as the target of a webhook: the receiver plays the chat platform. */
async function channel(name = 'Survival'): Promise<Hooked> {
  const wanted = { channelHosts: ['127.0.0.1'], publicUrl: 'http://list.example', listed: { name } };
  const scene = await hooked(wanted);
  const { port } = scene.receiver;
  await scene.owner.saveWebhook(scene.listed, `http://127.0.0.1:${port}/api/webhooks/42/${CHANNEL_TOKEN}`);
  return scene;
}

test('CH-01, CH-02, NS-49: it gets an embed with voter, player, count and link, and no payload; the log has the attempt, without the channel’s token; a 500 is retried with the same bytes, and a 404 is final', async () => {
  const scene = await channel();
  const { site, receiver, listed, owner, states } = scene;
  const { userId } = await scene.vote('Steve');
  const [request] = receiver.requests;
  expect(request!.path).toBe(`/api/webhooks/42/${CHANNEL_TOKEN}`);
  expect(request!.headers['content-type']).toBe('application/json');
  expect(request!.json).not.toHaveProperty('eventId');
  expect(request!.json).not.toHaveProperty('data');
  expect(request!.json.embeds).toMatchObject([
    {
      title: 'New vote for Survival',
      url: `http://list.example/listings/${listed.id}`,
      fields: [
        { name: 'Voter', value: `<@${userId}>` },
        { name: 'Player', value: 'Steve' },
        { name: 'Votes', value: '1' },
      ],
    },
  ]);
  const [row] = await scene.attempts();
  expect(row).toMatchObject({ status: 'delivered', httpStatus: 204 });
  const { delivery } = await owner.values(`${scene.deliveries}/${row.deliveryId}`);
  expect(delivery.url).toBe(`http://127.0.0.1:${receiver.port}/api/webhooks/42/…`);
  expect(await scene.health()).toBe('Healthy');
  expect(JSON.stringify(site.log)).not.toContain(CHANNEL_TOKEN);
  for (const answers of [[404], [500, 204]]) {
    site.clock.advance(1);
    await scene.votes(1, ...answers);
  }
  expect(await states()).toEqual(['retrying', 'undelivered', 'delivered']);
  await site.pass(10_000);
  expect(await states()).toEqual(['delivered', 'undelivered', 'delivered']);
  expect(receiver.requests[3]!.body.equals(receiver.requests[2]!.body)).toBe(true);
  await scene.test();
  expect(receiver.requests[4]!.json.embeds[0].title).toMatch(/^Test\b.*\bSurvival$/);
});

test('CH-03: a name that contains a mention pings no one, and cannot change the format', async () => {
  const { vote, receiver } = await channel('@everyone <@&1> **bold** [x](https://evil.example)');
  await vote('__Bob__');
  const { embeds, allowed_mentions } = receiver.requests[0]!.json;
  expect(allowed_mentions).toEqual({ parse: [] });
  expect(embeds[0].title).not.toContain('@everyone');
  expect(embeds[0].title).not.toMatch(/(?<!\\)[<>*[\]()]/);
  expect(embeds[0].fields[1].value).toBe(String.raw`\_\_Bob\_\_`);
});
