import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { loggedLines } from '../../support/logged-lines.ts';
import { wholeSite } from '../../support/whole-site.ts';
import { type ListingService, listingService } from '../listing-service.ts';
import { OPERATIONS } from '../operations.ts';
import { serveApi } from '../served-api.ts';

const REGISTER = '/webhooks/register';
const CHECK = '/webhooks/votes/check';

test.each([
  ['long headers', 431, ['Host: a', `X: ${'x'.repeat(17_000)}`]],
  ['an expectation', 417, ['Host: a', 'Expect: more']],
  ['a Host that is no host', 400, ['Host: a b']],
  ['no Host', 400, []],
])('ER-01 ER-02 ER-04: the service answers %s with %i and the error envelope', async (_, status, headers) => {
  const { port } = await wholeSite();
  const socket = connect(port, '127.0.0.1');
  const path = `/api/v1${CHECK}`;
  socket.write([`GET ${path}?userId=1 HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
  expect(JSON.parse(body)).toEqual({
    ...{ statusCode: status, code: 'VALIDATION_FAILED', path, timestamp: '2026-06-01T12:00:00.000Z' },
    ...{ error: expect.any(String), message: expect.any(String) },
  });
});

test('a client that leaves in the middle of its request is counted, and is no error of the service', async () => {
  const { log, codes } = loggedLines();
  const service = listingService({ log });
  const { token } = await service.owner('minecraft', 'webhooks:write');
  const { url, close } = await serveApi(service, log);
  for (let time = 0; time < 5; time += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
    socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n`);
    const headers = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    const head = `POST /api/v1${REGISTER} HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked`;
    socket.write(`${head}\r\n\r\n5\r\n{"web`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  }
  await close();
  expect(codes('error')).toEqual([]);
  expect(codes('info').filter((code) => code === 'requests-cut-off')).toHaveLength(1);
});

describe('an error', () => {
  test('ER-01 ER-02 ER-04 ER-05 VN-03: has the same envelope for every code', async () => {
    const service = listingService({
      targets: {
        judge: async (url) => ({
          kind: url === 'bad' ? 'WEBHOOK_URL_INVALID' : 'WEBHOOK_URL_NOT_PUBLIC',
          why: 'is not to be called',
        }),
      },
    });
    const { client } = service;
    const { listing, token } = await service.owner('bot');
    const stats = { token, body: { serverCount: 1 } };
    const register = (webhookUrl: string) => client.post(REGISTER, { token, body: { webhookUrl } });
    await client.post(`/bots/${listing.id}/stats`, stats);
    const failures = [
      await client.get(CHECK, { token }),
      await register('bad'),
      await register('http://10.0.0.1/'),
      await client.get(CHECK),
      await client.get(CHECK, { token: await service.token(listing, 'stats:write') }),
      await client.post('/bots/another/stats', stats),
      await client.get('/nothing', { token }),
      await client.post(`/bots/${listing.id}/stats`, stats),
    ];
    service.database.exec('DROP TABLE votes');
    failures.push(await client.get('/webhooks/votes', { token }));

    const fields = ['statusCode', 'error', 'code', 'message', 'path', 'timestamp'];
    for (const { status, body } of failures) {
      const own = status === 429 ? [...fields, 'retryAfterSeconds'] : fields;
      expect(Object.keys(body).sort()).toEqual(own.toSorted());
      expect(body).toMatchObject({
        statusCode: status,
        timestamp: new Date(service.clock.now()).toISOString(),
      });
      expect(body.message).not.toBe('');
    }
    expect(failures.map(({ status, body }) => `${status} ${body.error}: ${body.code}`)).toEqual([
      '400 Bad Request: VALIDATION_FAILED',
      '400 Bad Request: WEBHOOK_URL_INVALID',
      '400 Bad Request: WEBHOOK_URL_NOT_PUBLIC',
      '401 Unauthorized: INVALID_TOKEN',
      '401 Unauthorized: MISSING_SCOPE',
      '403 Forbidden: FORBIDDEN',
      '404 Not Found: NOT_FOUND',
      '429 Too Many Requests: RATE_LIMITED',
      '500 Internal Server Error: INTERNAL_ERROR',
    ]);
  });

  test('ER-06 ER-07 [API-2]: states a wait only on 429, the same in header and body', async () => {
    const service = listingService();
    const { listing, token } = await service.owner('bot');
    const report = () =>
      service.client.post(`/bots/${listing.id}/stats`, { token, body: { serverCount: 1 } });
    await report();
    service.clock.advance(20_001);
    const limited = await report();
    expect([limited.body.retryAfterSeconds, limited.headers.get('Retry-After')]).toEqual([40, '40']);
    const refused = await service.client.get(CHECK, { token });
    expect([refused.body.retryAfterSeconds, refused.headers.get('Retry-After')]).toEqual([undefined, null]);
  });

  test('ER-04: has the requested path, without the query', async () => {
    const { client } = listingService();
    const { body } = await client.get('/bots/%C3%A4%2F/x', { query: { secret: 'x' } });
    expect(body.path).toBe('/api/v1/bots/%C3%A4%2F/x');
  });
});

describe('an unknown route', () => {
  test.each([
    ['GET', '/'],
    ['GET', '/webhooks'],
    ['GET', '/webhooks/votes/'],
    ['GET', '/webhooks/votes/check/1'],
    ['PUT', '/webhooks/register'],
    ['DELETE', '/webhooks/votes'],
    ['POST', '/webhooks/votes'],
    ['OPTIONS', '/webhooks/stats'],
    ['GET', '/bots/1/stats'],
    ['BREW', '/coffee'],
  ])('NS-31 NS-32: %s %s is NOT_FOUND', async (method, path) => {
    const service = listingService();
    const { token } = await service.owner('bot');
    const { status, code } = await service.client.ask(method, path, { token });
    expect([status, code]).toEqual([404, 'NOT_FOUND']);
  });

  test('SV-01 VN-01 [API-1]: is any operation without the prefix, with another version or in another case', async () => {
    const service = listingService();
    const { token } = await service.owner();
    const headers = { Authorization: `Bearer ${token}` };
    for (const prefix of ['', '/api', '/api/v2', '/API/V1']) {
      const response = await service.api.request(`${prefix}/webhooks/stats`, { headers });
      expect([response.status, await response.json()]).toMatchObject([404, { code: 'NOT_FOUND' }]);
    }
  });

  test.each([
    '/tokens',
    '/tokens/rotate',
    '/webhooks/deliveries',
    '/webhooks/redeliver',
    '/webhooks/secret',
    '/webhooks/health',
    '/listener',
    '/listener/test',
    '/listings',
  ])('SV-09: is %s, even with a bearer token', async (path) => {
    const service = listingService();
    const { token } = await service.owner('bot');
    for (const method of ['GET', 'POST', 'PUT']) {
      const { status } = await service.client.ask(method, path, {
        token,
        ...(method === 'GET' ? {} : { body: {} }),
      });
      expect(status).toBe(404);
    }
  });
});

describe('a body', () => {
  const post = async (service: ListingService, asked: object) => {
    const { token } = await service.owner('bot');
    const { status, code } = await service.client.post(CHECK, { token, ...asked });
    return [status, code];
  };
  const INVALID = [400, 'VALIDATION_FAILED'];

  test.each(['{bad', '', '[', 'nul', '"\\ud800"', '{"userIds":["\\ud800"]}', '\u0000', '[]', 'NaN'])(
    'ER-11: that reads %j is VALIDATION_FAILED',
    async (text) => {
      expect(await post(listingService(), { text })).toEqual(INVALID);
    },
  );

  test('ER-11: that is not UTF-8 is VALIDATION_FAILED', async () => {
    expect(await post(listingService(), { text: Buffer.from([0xff, 0xfe, 0x7b, 0x22]) })).toEqual(INVALID);
  });

  test('ER-11 NS-33: of 1 MB, or of one byte over 64 KiB, is VALIDATION_FAILED', async () => {
    const service = listingService();
    expect(await post(service, { text: '['.repeat(1_000_000) })).toEqual(INVALID);
    const batch = JSON.stringify({ userIds: ['1'] });
    expect(await post(service, { text: batch.padEnd(64 * 1024 + 1) })).toEqual(INVALID);
    expect(await post(service, { text: batch.padEnd(64 * 1024) })).toEqual([200, undefined]);
  });

  test('ER-11: of 60,000 nested arrays is VALIDATION_FAILED', async () => {
    const text = `{"userIds":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    expect(await post(listingService(), { text })).toEqual(INVALID);
  });

  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    '',
  ])('NS-32: with the media type %j is VALIDATION_FAILED', async (type) => {
    const text = JSON.stringify({ userIds: ['1'] });
    expect(await post(listingService(), { text, headers: { 'Content-Type': type } })).toEqual(INVALID);
  });

  test('NS-32: is accepted as JSON with a charset parameter', async () => {
    const text = JSON.stringify({ userIds: ['1'] });
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    expect(await post(listingService(), { text, headers })).toEqual([200, undefined]);
  });
});

describe('INTERNAL_ERROR', () => {
  const broken = async (sql: string) => {
    const { log, lines } = loggedLines();
    const service = listingService({ log });
    const { listing, token } = await service.owner('bot');
    service.database.exec(sql);
    return { service, listing, token, lines };
  };

  test('ER-10: reveals nothing about the fault, which is logged', async () => {
    const { service, token, lines } = await broken('DROP TABLE votes');
    const { status, code, body } = await service.client.get('/webhooks/votes', { token });
    expect([status, code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).not.toMatch(/votes:|sqlite|no such table|\.ts|at /i);
    expect(lines).toMatchObject([
      {
        level: 'error',
        code: 'listing-api-failed',
        fields: {
          request: 'GET /api/v1/webhooks/votes',
          err: { message: expect.stringContaining('no such table') },
        },
      },
    ]);
  });

  test.each(OPERATIONS)('ER-10: is the answer of $name if the database is broken', async ({ ask }) => {
    const { service, listing, token } = await broken('ALTER TABLE tokens RENAME TO stolen');
    expect((await ask(service.client, listing, { token })).code).toBe('INTERNAL_ERROR');
  });

  test('NS-13: does not count towards a limit', async () => {
    const { service, token } = await broken('ALTER TABLE votes RENAME TO lost');
    for (let asked = 0; asked < 40; asked++) {
      expect((await service.client.get('/webhooks/votes', { token })).code).toBe('INTERNAL_ERROR');
    }
    service.database.exec('ALTER TABLE lost RENAME TO votes');
    expect((await service.client.get('/webhooks/votes', { token })).headers.get('RateLimit')).toContain(
      'r=29',
    );
  });
});
