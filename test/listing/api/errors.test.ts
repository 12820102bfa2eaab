/** Errors of the developer API. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { listing, type Site } from '../../kit/listing.ts';
import { OPERATIONS } from '../operations.ts';

const REGISTER = '/webhooks/register';
const CHECK = '/webhooks/votes/check';

test.each([
  ['long headers', 431, ['Host: a', `X: ${'x'.repeat(17_000)}`]],
  ['an expectation', 417, ['Host: a', 'Expect: more']],
  ['a Host that is no host', 400, ['Host: a b']],
  ['no Host', 400, []],
])(
  'ER-01, ER-02, ER-04: the service answers %s with %i and the error envelope',
  async (_, status, headers) => {
    const { port } = await listing();
    const socket = connect(port, '127.0.0.1');
    const path = `/api/v1${CHECK}`;
    socket.write([`GET ${path}?userId=1 HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(body)).toEqual({
      ...{ statusCode: status, code: 'VALIDATION_FAILED', path, timestamp: '2026-06-01T12:00:00.000Z' },
      ...{ error: expect.any(String), message: expect.any(String) },
    });
  },
);

test('a client that leaves in the middle of its request is counted, and is no error of the service', async () => {
  const site = await listing();
  const { token } = await site.owned('minecraft', 'webhooks:write');
  for (let time = 0; time < 5; time += 1) {
    const socket = connect(site.port, '127.0.0.1').on('error', () => {});
    socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n`);
    const headers = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
    const head = `POST /api/v1${REGISTER} HTTP/1.1\r\n${headers}\r\nTransfer-Encoding: chunked`;
    socket.write(`${head}\r\n\r\n5\r\n{"web`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  }
  await site.stop();
  expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
  expect(site.log.filter(({ code }) => code === 'requests-cut-off')).toHaveLength(1);
});

describe('an error', () => {
  test('ER-01, ER-02, ER-04, ER-05, ER-06, ER-07, VN-03 [API-2]: has the same envelope for every code, and a wait only on 429', async () => {
    const site = await listing();
    const { api } = site;
    const { listed, token } = await site.owned('bot');
    const stats = { token, body: { serverCount: 1 } };
    const register = (webhookUrl: string) => api.post(REGISTER, { token, body: { webhookUrl } });
    await api.post(`/bots/${listed.id}/stats`, stats);
    const failures = [
      await api.get(CHECK, { token }),
      await register('bad'),
      await register('http://10.0.0.1/'),
      await api.get(CHECK),
      await api.get(CHECK, { token: await site.token(listed, 'stats:write') }),
      await api.post('/bots/another/stats', stats),
      await api.get('/nothing', { token }),
      await api.post(`/bots/${listed.id}/stats`, stats),
    ];
    site.lose('votes');
    failures.push(await api.get('/webhooks/votes', { token }));

    const fields = ['statusCode', 'error', 'code', 'message', 'path', 'timestamp'];
    for (const { status, body } of failures) {
      const own = status === 429 ? [...fields, 'retryAfterSeconds'] : fields;
      expect(Object.keys(body).sort()).toEqual(own.toSorted());
      expect(body).toMatchObject({ statusCode: status, timestamp: '2026-06-01T12:00:00.000Z' });
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

  test('ER-04: has the requested path, without the query', async () => {
    const { api } = await listing();
    const { body } = await api.get('/bots/%C3%A4%2F/x', { query: { secret: 'x' } });
    expect(body.path).toBe('/api/v1/bots/%C3%A4%2F/x');
  });
});

/** What the dashboard has and the API does not. */
const OF_THE_DASHBOARD = [
  ...['/webhooks', '/webhooks/secret', '/webhooks/secret/rotate', '/webhooks/deliveries', '/webhooks/health'],
  ...['/webhooks/redeliver', '/webhooks/probe', '/webhooks/deliveries/1/redeliver', '/tokens'],
  ...['/tokens/rotate', '/listener', '/listener/test', '/vote-listener', '/listings', '/people'],
];

describe('an unknown route', () => {
  test('NS-31, NS-32: is NOT_FOUND, like an operation with another method', async () => {
    const site = await listing();
    const { token } = await site.owned('bot');
    for (const [method, path] of [
      ['GET', '/'],
      ['GET', '/webhooks/votes/'],
      ['GET', '/webhooks/votes/check/1'],
      ['GET', '/webhooks/register'],
      ['PUT', '/webhooks/register'],
      ['DELETE', '/webhooks/register'],
      ['GET', '/webhooks/test'],
      ['DELETE', '/webhooks/votes'],
      ['POST', '/webhooks/votes'],
      ['OPTIONS', '/webhooks/stats'],
      ['GET', '/bots/1/stats'],
      ['PROPFIND', '/coffee'],
    ] as const) {
      const { status, code } = await site.api.ask(method, path, { token });
      expect([method, path, status, code]).toEqual([method, path, 404, 'NOT_FOUND']);
    }
  });

  test('SV-09: is each thing that only the dashboard has, even with a bearer token', async () => {
    const site = await listing();
    const { token } = await site.owned('bot');
    for (const path of OF_THE_DASHBOARD)
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        const { status, code } = await site.api.ask(method, path, { token });
        expect([method, path, status, code]).toEqual([method, path, 404, 'NOT_FOUND']);
      }
  });

  test('SV-01, SV-10, VN-01 [API-1]: is any operation without the prefix, with another version or in another case', async () => {
    const site = await listing();
    const { token } = await site.owned();
    const headers = { host: `127.0.0.1:${site.port}`, authorization: `Bearer ${token}` };
    for (const prefix of ['', '/api', '/api/v2', '/API/V1'])
      expect([prefix, (await site.ask(`${prefix}/webhooks/stats`, { headers })).status]).toEqual([
        prefix,
        404,
      ]);
    for (const [path, more, status] of [
      ['/webhooks/stats', {}, 200],
      ['/webhooks/stats', { authorization: '' }, 401],
      ['/webhooks/votes?limit=0', {}, 400],
      ['/nothing', { accept: 'text/html' }, 404],
    ] as const) {
      const answer = await site.ask(`/api/v1${path}`, { headers: { ...headers, ...more } });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        ...[status, expect.stringMatching(/^application\/json\b/)],
      ]);
    }
  });
});

describe('a body', () => {
  const CHECKS = JSON.stringify({ userIds: ['1'] });

  async function posting(): Promise<{ site: Site; post: (asked: object) => Promise<unknown> }> {
    const site = await listing();
    const { token } = await site.owned('bot');
    const post = async (asked: object) => {
      const { status, code } = await site.api.post(CHECK, { token, ...asked });
      return code ?? status;
    };
    return { site, post };
  }

  test('ER-11: that is no JSON object, or not UTF-8, is VALIDATION_FAILED', async () => {
    const { post } = await posting();
    for (const text of [
      ...['{bad', '', '[', 'nul', '"\\ud800"', '{"userIds":["\\ud800"]}', '\u0000', '[]', 'NaN'],
      Buffer.from([0xff, 0xfe, 0x7b, 0x22]),
    ])
      expect([text, await post({ text })]).toEqual([text, 'VALIDATION_FAILED']);
  });

  test('ER-11, NS-33: of 1 MB, of one byte over 64 KiB, or of 60,000 nested arrays is VALIDATION_FAILED; the service still answers', async () => {
    const { post } = await posting();
    const nested = `{"userIds":${'['.repeat(30_000)}${']'.repeat(30_000)}}`;
    for (const text of ['['.repeat(1_000_000), CHECKS.padEnd(64 * 1024 + 1), nested]) {
      expect(await post({ text })).toBe('VALIDATION_FAILED');
      expect(await post({ text: CHECKS.padEnd(64 * 1024) })).toBe(200);
    }
  });

  test('NS-32: is accepted as JSON only, with or without a charset', async () => {
    const { post } = await posting();
    for (const type of [
      ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
      ...['application/xml', ''],
    ])
      expect([type, await post({ text: CHECKS, headers: { 'Content-Type': type } })]).toEqual([
        ...[type, 'VALIDATION_FAILED'],
      ]);
    const headers = { 'Content-Type': 'application/json; charset=utf-8' };
    expect(await post({ text: CHECKS, headers })).toBe(200);
  });
});

describe('ER-10: INTERNAL_ERROR', () => {
  test('ER-10: reveals nothing about the fault, which is logged', async () => {
    const site = await listing();
    const { token } = await site.owned('bot');
    site.lose('votes');
    const { status, code, body } = await site.api.get('/webhooks/votes', { token });
    expect([status, code]).toEqual([500, 'INTERNAL_ERROR']);
    expect(JSON.stringify(body)).not.toMatch(/votes:|sqlite|no such table|\.ts|at /i);
    expect(site.log.filter(({ level }) => level === 'error')).toMatchObject([
      {
        code: 'listing-api-failed',
        fields: {
          request: 'GET /api/v1/webhooks/votes',
          err: { message: expect.stringContaining('no such table') },
        },
      },
    ]);
  });

  test('ER-10: is the answer of every operation if the database is broken', async () => {
    const site = await listing();
    const { listed, token } = await site.owned('bot');
    site.lose('tokens');
    for (const { name, ask } of OPERATIONS)
      expect([name, (await ask(site.api, listed, { token })).code]).toEqual([name, 'INTERNAL_ERROR']);
  });
});

const PLAIN = { 'Content-Type': 'text/plain' };
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const WEBHOOK_URL = 'http://a.example';

describe('a message says what was wrong and what is right', () => {
  test('about a request', async () => {
    const site = await listing();
    const { token } = await site.owned('minecraft', 'votes:read', 'webhooks:write');
    for (const [method, path, sent, facts] of [
      ['POST', CHECK, { body: {} }, ['userIds', 'playerNames', '1 to 50']],
      [
        'POST',
        CHECK,
        { body: { userIds: ['1'], playerNames: ['Steve'] } },
        ['either', 'userIds', 'playerNames'],
      ],
      ['POST', CHECK, { body: { userIds: ['1'], more: 1 } }, ['nothing else']],
      ['POST', CHECK, { body: { userIds: Array(51).fill('1') } }, ['userIds: ', '1 to 50']],
      ['POST', CHECK, { body: { userIds: '1' } }, ['userIds: ', 'list']],
      ['POST', CHECK, { body: { userIds: ['1', 2, 3, 4] } }, ['userIds.1: ', 'string']],
      ['POST', CHECK, { body: { playerNames: ['a b'] } }, ['playerNames.0: ', 'white space']],
      ['GET', CHECK, {}, ['userId', 'playerName']],
      ['GET', '/webhooks/votes', { query: { startDate: 'yesterday' } }, ['startDate: ', '2026-06-03']],
      ['GET', '/webhooks/votes', { query: { limit: '101' } }, ['limit: ', '1 to 100']],
      ['POST', REGISTER, { body: {} }, ['webhookUrl: ', 'missing', 'URL']],
      [
        'POST',
        REGISTER,
        { body: { webhookUrl: WEBHOOK_URL, events: ['x'] } },
        ['events.0: ', 'vote.created'],
      ],
      [
        'POST',
        REGISTER,
        { body: { webhookUrl: WEBHOOK_URL, isActive: 'yes' } },
        ['isActive: ', 'true or false'],
      ],
      ['POST', REGISTER, { body: { webhookUrl: WEBHOOK_URL, secret: '' } }, ['secret: ', '1 to 256']],
      ['POST', REGISTER, { body: 5 }, ['object']],
      ['POST', REGISTER, { text: '{"webhookUrl":' }, ['JSON', 'quotes']],
      ['POST', REGISTER, { text: '{}', headers: PLAIN }, ['application/json']],
      ['POST', CHECK, { text: 'userIds=1', headers: FORM }, ['application/json']],
    ] as const) {
      const { code, body } = await site.api.ask(method, path, { token, ...sent });
      expect([sent, code]).toEqual([sent, 'VALIDATION_FAILED']);
      for (const fact of facts) expect(body.message).toContain(fact);
      expect(body.message).not.toContain('Invalid input');
    }
  });

  test('about a report, and about its limit with its number and what it counts', async () => {
    const site = await listing();
    const { listed, token } = await site.owned('bot');
    const said = async (report: object) =>
      (await site.api.post(`/bots/${listed.id}/stats`, { token, body: report })).body.message;
    for (const [report, facts] of [
      [{}, ['serverCount: ', 'missing', '0 to 10,000,000']],
      [{ serverCount: 1.5 }, ['serverCount: ', 'whole number']],
      [{ serverCount: 1, shardCount: 10_001 }, ['shardCount: ', '0 to 10,000']],
    ] as const)
      for (const fact of facts) expect(await said(report)).toContain(fact);
    await said({ serverCount: 1 });
    expect(await said({ serverCount: 1 })).toContain('is 1 report a minute');
  });
});
