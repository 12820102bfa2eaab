import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fakeListener } from '../../support/fake-listener.ts';
import { sink } from '../../support/sink.ts';
import { wholeSite } from '../../support/whole-site.ts';
import { KINDS } from './browser.ts';

const GAMES = ['minecraft', 'fivem', 'roblox', 'hytale'] as const;

describe('kinds of listings', () => {
  test('are a bot and exactly four games (SV-03)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    const form = (await owner.open('/new-listing')).form('/new-listing')!;
    expect(form.choices.kind).toEqual(['bot', 'minecraft', 'fivem', 'roblox', 'hytale']);
    for (const kind of ['rust', 'Minecraft', '', 'game']) {
      const answer = await owner.press('/new-listing', '/new-listing', { name: 'A fifth', kind });
      expect([answer.status, Object.keys(answer.faults)]).toEqual([422, ['kind']]);
    }
    expect((await owner.values('/dashboard')).listings).toEqual([]);
    expect((await site.visitor().values('/')).listings).toEqual([]);
  });

  test.each(GAMES)('%s is named in the deliveries of its listing (SV-03)', async (kind) => {
    const site = await wholeSite();
    const owner = await site.person();
    const receiver = await sink();
    const listing = await owner.list(kind);
    await owner.saveWebhook(listing, receiver.url);
    await site.vote(listing);
    const { json } = await receiver.request(1);
    expect(json.data).toMatchObject({ listingId: listing.id, listingType: 'game', game: kind });
  });

  test.each(GAMES)('a %s listing has a token, vote checks and signed webhooks (SV-06)', async (kind) => {
    const site = await wholeSite();
    const owner = await site.person();
    const receiver = await sink();
    const listing = await owner.list(kind);
    const secret = (await owner.saveWebhook(listing, receiver.url, { secret: 'generate' })).code(
      'made-secret',
    )!;
    const token = await owner.token(listing, 'votes:read');
    await owner.voteOn(listing);
    const { body, headers } = await receiver.request(1);
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    expect(headers['x-webhook-signature']).toBe(`sha256=${signature}`);
    const check = await site.api.get('/webhooks/votes/check', { token, query: { userId: owner.userId } });
    expect([check.status, check.body.voted]).toEqual([200, true]);
  });
});

describe('the vote listener is only for Minecraft', () => {
  test.each(KINDS.filter((kind) => kind !== 'minecraft'))(
    'a %s listing has no listener page, and a vote for it opens no connection (SV-07)',
    async (kind) => {
      const site = await wholeSite();
      const owner = await site.person();
      const listener = await fakeListener();
      const listing = await owner.list(kind);
      const at = `${listing.dashboard}/listener`;
      const overview = await owner.open(listing.dashboard);
      expect([overview.status, overview.html.includes(at)]).toEqual([200, false]);
      const settings = { host: '127.0.0.1', port: String(listener.port), method: 'token', credential: 'a' };
      expect((await owner.open(at)).status).toBe(404);
      expect((await owner.post(at, settings)).status).toBe(404);
      expect((await owner.post(`${at}/test`, { player: 'Steve' })).status).toBe(404);
      // The form of its page has no such field, but a voter can send one.
      expect((await owner.open(listing.page)).form(`${listing.page}/vote`)!.fields).not.toHaveProperty(
        'player',
      );
      await owner.post(`${listing.page}/vote`, { player: 'Steve' });
      await site.quiet();
      expect((await owner.values(listing.page)).votes).toBe(1);
      expect(listener.connections).toBe(0);
    },
  );

  test('a Minecraft listing has a listener page, and a vote that names a player opens one connection (SV-07)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    const listener = await fakeListener();
    const listing = await owner.list('minecraft');
    expect((await owner.open(listing.dashboard)).html).toContain(`href="${listing.dashboard}/listener"`);
    expect((await owner.saveListener(listing, { port: String(listener.port) })).tone).toBe('good');
    await site.vote(listing, 'Steve');
    await site.quiet();
    expect(listener.connections).toBe(1);
  });
});

describe('the API and the dashboard are separate', () => {
  const PROBES: readonly (readonly [method: string, path: string])[] = [
    ...['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): [string, string][] => [
      [method, '/webhooks'],
      [method, '/webhooks/secret'],
      [method, '/webhooks/secret/rotate'],
      [method, '/webhooks/deliveries'],
      [method, '/webhooks/health'],
      [method, '/webhooks/redeliver'],
      [method, '/webhooks/probe'],
      [method, '/tokens'],
      [method, '/tokens/rotate'],
      [method, '/listener'],
      [method, '/listener/test'],
      [method, '/vote-listener'],
      [method, '/listings'],
      [method, '/people'],
    ]),
    ['POST', '/webhooks/deliveries/1/redeliver'],
    ['GET', '/webhooks/register'],
    ['DELETE', '/webhooks/register'],
    ['GET', '/webhooks/test'],
    ['POST', '/webhooks/votes'],
    ['DELETE', '/webhooks/votes'],
  ];

  test('no API route exposes secrets, the log, health, tokens or the listener (SV-09)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    const token = await owner.token(await owner.list('bot'), 'stats:write', 'votes:read', 'webhooks:write');
    expect((await site.api.get('/webhooks/stats', { token })).status).toBe(200);
    for (const [method, path] of PROBES) {
      const { status, code } = await site.api.ask(method, path, { token });
      expect([method, path, status, code]).toEqual([method, path, 404, 'NOT_FOUND']);
    }
  });

  test('a bearer token opens no page of the dashboard (SV-09)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    const listing = await owner.list('minecraft');
    const authorization = `Bearer ${await owner.token(listing, 'votes:read', 'webhooks:write')}`;
    for (const section of ['', '/webhook', '/deliveries', '/listener', '/tokens', '/people']) {
      const headers = { authorization, accept: 'application/json' };
      const { status, text } = await site.visitor().visitor.get(listing.dashboard + section, headers);
      expect([status, JSON.parse(text).code]).toEqual([403, 'signed-out']);
    }
  });

  test('every response of the API is JSON, and its routes exist only below its root (SV-10)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    const token = await owner.token(await owner.list('minecraft'), 'votes:read');
    const kinds: string[] = [];
    for (const [path, headers] of [
      ['/webhooks/stats', { authorization: `Bearer ${token}` }],
      ['/webhooks/stats', {}],
      ['/webhooks/votes?limit=0', { authorization: `Bearer ${token}` }],
      ['/nothing', { accept: 'text/html' }],
    ] as const) {
      const answer = await site.visitor().visitor.get(`/api/v1${path}`, headers);
      kinds.push(`${answer.status} ${answer.headers.get('content-type')?.split(';')[0]}`);
      expect(JSON.parse(answer.text)).toBeTypeOf('object');
    }
    const codes = [200, 401, 400, 404];
    expect(kinds).toEqual(codes.map((code) => `${code} application/json`));
    const elsewhere = await site
      .visitor()
      .visitor.get('/webhooks/stats', { authorization: `Bearer ${token}` });
    expect(elsewhere.status).toBe(404);
  });
});

describe('the payload', () => {
  test('has all fields of version 1 on every kind of listing (VN-02)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    for (const kind of KINDS) {
      const receiver = await sink();
      const listing = await owner.list(kind);
      await owner.saveWebhook(listing, receiver.url);
      await site.vote(listing);
      const { json } = await receiver.request(1);
      expect(json).toMatchObject({ event: 'vote.created', version: 1, test: false });
      const top = ['event', 'version', 'eventId', 'timestamp', 'test', 'data'];
      expect(Object.keys(json)).toEqual(expect.arrayContaining(top));
      const ofAll = ['listingId', 'listingType', 'userId', 'votedAt', 'nextVoteAt', 'weight'];
      const ofGames = kind === 'bot' ? [] : ['game', 'playerName'];
      expect(Object.keys(json.data)).toEqual(expect.arrayContaining([...ofAll, ...ofGames]));
    }
  });

  test('gives a premium listing’s vote more weight, and the vote still counts as one (PL-12)', async () => {
    const site = await wholeSite();
    const owner = await site.person();
    const receiver = await sink();
    const weights: unknown[] = [];
    for (const fields of [{}, { premium: 'on' }]) {
      const listing = await owner.list('roblox', fields);
      await owner.saveWebhook(listing, receiver.url);
      const before = (await owner.values(listing.page)).votes;
      await site.vote(listing);
      await site.quiet();
      expect([before, (await owner.values(listing.page)).votes]).toEqual([0, 1]);
      const token = await owner.token(listing, 'votes:read');
      expect((await site.api.get('/webhooks/stats', { token })).body.totalVotes).toBe(1);
      weights.push(receiver.requests.at(-1)!.json.data.weight);
    }
    expect(weights).toEqual([1, 2]);
  });
});
