import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { advice } from '../../src/votes/listing-client/result.ts';
import { servePages } from '../../src/web/server.ts';
import { listingService } from '../listing/listing-service.ts';
import { publicTargets } from '../listing/public-targets.ts';
import { sameTime } from '../support/fake-clock.ts';
import { silentLog } from '../support/log.ts';
import { naming } from '../support/naming.ts';
import { clientOf } from './scripted-api.ts';
import { WaitingClock } from './waiting-clock.ts';

/** The real service on a real socket, and a client under the same clock. */
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
    visitors: 'local',
    ...{ clock: systemClock, log: silentLog },
  });
  onTestFinished(() => server.close());
  const root = `http://127.0.0.1:${server.address.port}/api/v1`;
  const as = (other: string, baseUrl = root) => clientOf(baseUrl, { clock, token: other }).client;
  return { service, listing, token, clock, urls, root, as, client: as(token) };
}

const NOON = Date.parse('2026-06-01T12:00:00Z');

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

test('a query is sent below the root, whether or not the root ends with a slash', async () => {
  const { as, token, root, urls } = await served('minecraft');
  await as(token, root).votes({ startDate: '2026-06-01T14:00:00+02:00' });
  await as(token, `${root}/`).votes();
  expect(urls).toEqual([
    '/api/v1/webhooks/votes?startDate=2026-06-01T14%3A00%3A00%2B02%3A00',
    '/api/v1/webhooks/votes',
  ]);
});

describe('a refusal has its code, its status and a sentence', () => {
  const refused = (code: keyof typeof advice, status: number) => ({
    kind: 'refused',
    code,
    status,
    message: expect.stringMatching(/./),
    sentence: naming('/api/v1', advice[code]),
    retryAfterSeconds: null,
  });

  test('VALIDATION_FAILED, which is decided by the service, not the client', async () => {
    const { client, urls } = await served('minecraft');
    expect(await client.votes({ limit: 101 })).toEqual(refused('VALIDATION_FAILED', 400));
    expect(urls.length).toBe(1);
  });

  test('INVALID_TOKEN', async () => {
    const { as } = await served('minecraft');
    expect(await as('tok_unknown').votes()).toEqual(refused('INVALID_TOKEN', 401));
  });

  test('MISSING_SCOPE', async () => {
    const { client } = await served('minecraft', 'webhooks:write');
    expect(await client.votes()).toEqual(refused('MISSING_SCOPE', 401));
  });

  test('NOT_FOUND, for a removed listing and for an address that is not the root', async () => {
    const { client, as, token, root, service, listing, clock } = await served('minecraft');
    expect(await as(token, `${root}/elsewhere`).votes()).toEqual(refused('NOT_FOUND', 404));
    await service.store.changes.removeListing(listing.id, clock.now());
    expect(await client.votes()).toEqual(refused('NOT_FOUND', 404));
  });

  test('INTERNAL_ERROR, after four attempts', async () => {
    const { client, service, clock, urls } = await served('minecraft');
    service.database.exec('DROP TABLE votes');
    const result = client.votes();
    await clock.passWaits(1_000, 2_000, 4_000);
    expect(await result).toEqual(refused('INTERNAL_ERROR', 500));
    expect(urls.length).toBe(4);
  });

  test('RATE_LIMITED, if the wait would be longer than retryForMs', async () => {
    const { clock, root, token } = await served('bot');
    const { client } = clientOf(root, { clock, token, retryForMs: 59_999 });
    for (let request = 1; request <= 30; request++) await client.votes();
    expect(await client.votes()).toEqual({ ...refused('RATE_LIMITED', 429), retryAfterSeconds: 60 });
    expect(clock.waits).toEqual([]);
  });
});

test('after a rate limit, the call waits exactly as long as the service states and then succeeds', async () => {
  const { client, clock, urls } = await served('minecraft');
  for (let request = 1; request <= 30; request++) {
    expect((await client.votes()).kind).toBe('ok');
    if (request === 1) clock.advance(12_500);
  }
  const result = client.votes();
  await clock.waiting(1);
  // The window started 12.5 s ago, and the service rounds up to whole seconds.
  expect(clock.waits).toEqual([48_000]);
  clock.advance(47_999);
  expect(urls.length).toBe(31);
  clock.advance(1);
  expect(await result).toEqual({ kind: 'ok', value: { votes: [], unread: [] }, serviceTime: NOON + 60_000 });
  expect([urls.length, clock.pending]).toEqual([32, 0]);
});
