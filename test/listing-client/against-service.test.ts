import { describe, expect, onTestFinished, test } from 'vitest';
import { advice } from '../../src/listing-client/result.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { listingService } from '../listing/listing-service.ts';
import { publicTargets } from '../listing/public-targets.ts';
import { sameTime } from '../support/fake-clock.ts';
import { withFacts } from '../support/sentences.ts';
import { clientOf } from './scripted-api.ts';
import { WaitingClock } from './waiting-clock.ts';

const HOOK = 'https://example.com/hook';

/** The real service on a real socket, and a client of it under the same clock. */
async function served(...[kind, ...scopes]: Parameters<ReturnType<typeof listingService>['owner']>) {
  const clock = new WaitingClock();
  const service = listingService({ clock: sameTime(clock), targets: publicTargets() });
  const { listing, token } = await service.owner(kind, ...scopes);
  const urls: string[] = [];
  const handler = (request: Request, bindings: object) => {
    const { pathname, search } = new URL(request.url);
    urls.push(`${pathname}${search}`);
    return service.api.fetch(request, bindings);
  };
  const server = await servePages(handler, {
    host: '127.0.0.1',
    port: 0,
    key: 'listing.port',
    likelyHolder: 'another listing service',
    hasPassword: false,
    clock: systemClock,
  });
  onTestFinished(() => server.close());
  const root = `http://127.0.0.1:${server.address.port}/api/v1`;
  const as = (other: string, baseUrl = root) => clientOf(baseUrl, { clock, token: other }).client;
  return { service, listing, token, clock, urls, root, as, client: as(token) };
}

const NOON = Date.parse('2026-06-01T12:00:00Z');

describe('every operation', () => {
  test('reportStats stores a snapshot and tells when', async () => {
    const { client, listing } = await served('bot');
    expect(await client.reportStats(listing.id, { serverCount: 1204, shardCount: 2 })).toEqual({
      kind: 'ok',
      value: { serverCount: 1204, shardCount: 2, updatedAt: '2026-06-01T12:00:00.000Z' },
      serviceTime: NOON,
    });
  });

  test('checkUser tells of a vote and until when it counts', async () => {
    const { client, service, listing } = await served('bot');
    await service.cast(listing, '80351110224678912');
    expect(await client.checkUser('80351110224678912')).toEqual({
      kind: 'ok',
      value: { voted: true, votedAt: '2026-06-01T12:00:00.000Z', nextVoteAt: '2026-06-02T00:00:00.000Z' },
      serviceTime: NOON,
    });
  });

  test('checkPlayer finds a player in any spelling', async () => {
    const { client, service, listing } = await served('minecraft');
    await service.cast(listing, '1', 'Steve');
    expect(await client.checkPlayer('sTEVE')).toMatchObject({ kind: 'ok', value: { voted: true } });
    expect(await client.checkPlayer('Alex')).toEqual({
      kind: 'ok',
      value: { voted: false, votedAt: null, nextVoteAt: null },
      serviceTime: NOON,
    });
  });

  test('checkUsers answers for each', async () => {
    const { client, service, listing } = await served('fivem');
    await service.cast(listing, '7');
    const result = await client.checkUsers(['7', '8']);
    expect(result.kind === 'ok' && [...result.value].map(([id, { voted }]) => [id, voted])).toEqual([
      ['7', true],
      ['8', false],
    ]);
  });

  test('checkPlayers answers by the names as they were given, also those that objects have of their own', async () => {
    const { client, service, listing } = await served('minecraft');
    await service.cast(listing, '1', '__proto__');
    const result = await client.checkPlayers(['__PROTO__', '__proto__', 'constructor']);
    expect(result.kind === 'ok' && [...result.value].map(([name, { voted }]) => [name, voted])).toEqual([
      ['__PROTO__', true],
      ['__proto__', true],
      ['constructor', false],
    ]);
  });

  test('votes lists the newest first, within dates and a limit', async () => {
    const { client, service, listing, clock } = await served('minecraft');
    await service.cast(listing, '1', 'Steve');
    clock.advance(60_000);
    await service.cast(listing, '2');
    clock.advance(60_000);
    await service.cast(listing, '3');
    const asked = { startDate: '2026-06-01', endDate: '2026-06-01T12:01:00Z', limit: 2 };
    const result = await client.votes(asked);
    expect(result).toMatchObject({
      kind: 'ok',
      value: {
        votes: [
          { userId: '2', votedAt: Date.parse('2026-06-01T12:01:00Z'), metadata: {} },
          { userId: '1', votedAt: Date.parse('2026-06-01T12:00:00Z'), metadata: { playerName: 'Steve' } },
        ],
      },
    });
    expect(await client.votes({ limit: 1 })).toMatchObject({
      kind: 'ok',
      value: { votes: [{ userId: '3' }] },
    });
    expect(await client.votes()).toMatchObject({ kind: 'ok', value: { votes: { length: 3 } } });
  });

  test('stats tells the sums', async () => {
    const { client, service, listing } = await served('minecraft');
    await service.cast(listing, '1', 'Steve');
    expect(await client.stats()).toMatchObject({
      kind: 'ok',
      value: { totalVotes: 1, totalUniqueVoters: 1, topVoters: [{ user_id: '1', vote_count: 1 }] },
    });
  });

  test('registerWebhook states a webhook, defaults included', async () => {
    const { client } = await served('minecraft');
    expect(await client.registerWebhook({ webhookUrl: HOOK, secret: 'a secret of mine' })).toEqual({
      kind: 'ok',
      value: {
        webhookUrl: HOOK,
        events: ['vote.created'],
        isActive: true,
        hasSecret: true,
        updatedAt: '2026-06-01T12:00:00.000Z',
      },
      serviceTime: NOON,
    });
  });

  test('testWebhook tells what the target did', async () => {
    const { client, service } = await served('minecraft');
    expect(await client.testWebhook({ webhookUrl: HOOK })).toMatchObject({
      kind: 'ok',
      value: { delivered: true, httpStatus: 204, durationMs: 12, error: null },
    });
    expect(service.deliveries.tested.map(({ url }) => url.href)).toEqual([HOOK]);
  });
});

describe('what is asked', () => {
  test('goes below the root, whether that ends in a slash or not', async () => {
    const { as, token, root, urls } = await served('minecraft');
    await as(token, root).stats();
    await as(token, `${root}/`).stats();
    expect(urls).toEqual(['/api/v1/webhooks/stats', '/api/v1/webhooks/stats']);
  });

  test.each([
    ['a+b', 'a%2Bb'],
    ['50%', '50%25'],
    ['a&userId=1', 'a%26userId%3D1'],
    ['ä#ß?', '%C3%A4%23%C3%9F%3F'],
    ['日本', '%E6%97%A5%E6%9C%AC'],
  ])('names the player %j and no other', async (name, escaped) => {
    const { client, urls } = await served('minecraft');
    expect(await client.checkPlayer(name)).toMatchObject({ kind: 'ok', value: { voted: false } });
    expect(urls).toEqual([`/api/v1/webhooks/votes/check?playerName=${escaped}`]);
  });

  test('names the user and no other', async () => {
    const { client, urls } = await served('minecraft');
    expect(await client.checkUser('1&playerName=a')).toMatchObject({ code: 'VALIDATION_FAILED' });
    expect(urls).toEqual(['/api/v1/webhooks/votes/check?userId=1%26playerName%3Da']);
  });

  test('keeps a bot’s ID one part of the path', async () => {
    const { client, urls } = await served('bot');
    await client.reportStats('a/../b?c#d', { serverCount: 1 });
    expect(urls).toEqual(['/api/v1/bots/a%2F..%2Fb%3Fc%23d/stats']);
  });

  test('is sent even where half a character would make escaping throw', async () => {
    const { client, urls } = await served('bot');
    expect(await client.reportStats('\ud800', { serverCount: 1 })).toMatchObject({ code: 'FORBIDDEN' });
    expect(urls).toEqual(['/api/v1/bots/%EF%BF%BD/stats']);
  });
});

describe('a refusal has its code, its status and words', () => {
  const refused = (code: keyof typeof advice, status: number) => ({
    kind: 'refused',
    code,
    status,
    message: expect.stringMatching(/./),
    sentence: withFacts('/api/v1', advice[code]),
    retryAfterSeconds: null,
  });

  test('VALIDATION_FAILED, which the service speaks and not the client: 51 users, none, a limit of 101', async () => {
    const { client, urls } = await served('minecraft');
    const many = Array.from({ length: 51 }, (_, index) => `user${index}`);
    expect(await client.checkUsers(many)).toEqual(refused('VALIDATION_FAILED', 400));
    expect(await client.checkUsers([])).toEqual(refused('VALIDATION_FAILED', 400));
    expect(await client.votes({ limit: 101 })).toEqual(refused('VALIDATION_FAILED', 400));
    expect(await client.checkUser('')).toEqual(refused('VALIDATION_FAILED', 400));
    expect(urls.length).toBe(4);
  });

  test('WEBHOOK_URL_INVALID', async () => {
    const { client } = await served('minecraft');
    const answer = refused('WEBHOOK_URL_INVALID', 400);
    expect(await client.registerWebhook({ webhookUrl: 'ftp://example.com/' })).toEqual(answer);
    expect(await client.testWebhook({ webhookUrl: 'ftp://example.com/' })).toEqual(answer);
  });

  test('WEBHOOK_URL_NOT_PUBLIC', async () => {
    const { client } = await served('minecraft');
    const answer = refused('WEBHOOK_URL_NOT_PUBLIC', 400);
    expect(await client.registerWebhook({ webhookUrl: 'http://10.0.0.5/' })).toEqual(answer);
    expect(await client.testWebhook({ webhookUrl: 'http://inside.example/' })).toEqual(answer);
  });

  test('INVALID_TOKEN', async () => {
    const { as } = await served('minecraft');
    expect(await as('tok_of_nobody').stats()).toEqual(refused('INVALID_TOKEN', 401));
  });

  test('MISSING_SCOPE', async () => {
    const { client } = await served('minecraft', 'webhooks:write');
    expect(await client.votes()).toEqual(refused('MISSING_SCOPE', 401));
  });

  test('FORBIDDEN', async () => {
    const { client } = await served('bot');
    expect(await client.reportStats('another-bot', { serverCount: 1 })).toEqual(refused('FORBIDDEN', 403));
  });

  test('NOT_FOUND, of a removed listing and of a root that is none', async () => {
    const { client, as, token, root, service, listing, clock } = await served('minecraft');
    expect(await as(token, `${root}/elsewhere`).stats()).toEqual(refused('NOT_FOUND', 404));
    await service.store.write(() => service.store.listings.remove(listing.id, clock.now()));
    expect(await client.stats()).toEqual(refused('NOT_FOUND', 404));
  });

  test('INTERNAL_ERROR, after four attempts', async () => {
    const { client, service, clock, urls } = await served('minecraft');
    service.database.exec('DROP TABLE votes');
    const result = client.votes();
    await clock.sitOut(1_000, 2_000, 4_000);
    expect(await result).toEqual(refused('INTERNAL_ERROR', 500));
    expect(urls.length).toBe(4);
  });

  test('RATE_LIMITED, when the wait would be longer than the patience', async () => {
    const { service, listing, clock, root, token } = await served('bot');
    const { client } = clientOf(root, { clock, token, retryForMs: 59_999 });
    await client.reportStats(listing.id, { serverCount: 1 });
    const result = await client.reportStats(listing.id, { serverCount: 2 });
    expect(result).toEqual({ ...refused('RATE_LIMITED', 429), retryAfterSeconds: 60 });
    expect([clock.waits, service.store.botStats.find(listing.id)?.serverCount]).toEqual([[], 1]);
  });
});

test('a limit is waited out for as long as the service says, to the millisecond, and then it answers', async () => {
  const { client, clock, urls } = await served('minecraft');
  for (let request = 1; request <= 30; request++) {
    expect((await client.stats()).kind).toBe('ok');
    if (request === 1) clock.advance(12_500);
  }
  const result = client.votes();
  await clock.waiting(1);
  // The window began 12.5 s ago, and the service rounds up to whole seconds.
  expect(clock.waits).toEqual([48_000]);
  clock.advance(47_999);
  expect(urls.length).toBe(31);
  clock.advance(1);
  expect(await result).toEqual({ kind: 'ok', value: { votes: [], unread: [] }, serviceTime: NOON + 60_000 });
  expect([urls.length, clock.pending]).toEqual([32, 0]);
});
