/** Errors of the developer API. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { listing } from '../../kit/listing.ts';
import { OPERATIONS } from '../operations.ts';

const REGISTER = '/webhooks/register';
const CHECK = '/webhooks/votes/check';

test('ER-01, ER-02, ER-04: the service answers long headers, an expectation, and a Host that is missing or no host with the error envelope', async () => {
  const { port } = await listing();
  const path = `/api/v1${CHECK}`;
  for (const [status, ...headers] of [
    [431, 'Host: a', `X: ${'x'.repeat(17_000)}`],
    [417, 'Host: a', 'Expect: more'],
    [400, 'Host: a b'],
    [400],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    socket.write([`GET ${path}?userId=1 HTTP/1.1`, ...headers, 'Connection: close', '', ''].join('\r\n'));
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(JSON.parse(body)).toEqual({
      ...{ statusCode: status, code: 'VALIDATION_FAILED', path, timestamp: '2026-06-01T12:00:00.000Z' },
      ...{ error: expect.any(String), message: expect.any(String) },
    });
  }
});

test('a client that leaves in the middle of its request is counted, and is no error of the service', async () => {
  const site = await listing();
  const { token } = await site.owned('minecraft', 'webhooks:write');
  const headers = `Host: a\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json`;
  const socket = connect(site.port, '127.0.0.1').on('error', () => {});
  socket.write(`GET /api/v1/openapi.json HTTP/1.1\r\nHost: a\r\n\r\n`);
  socket.write(`POST /api/v1${REGISTER} HTTP/1.1\r\n${headers}\r\nContent-Length: 9\r\n\r\n{"web`);
  await once(socket, 'data');
  socket.resetAndDestroy();
  await site.stop();
  expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
  expect(site.log.filter(({ code }) => code === 'requests-cut-off')).toHaveLength(1);
});

test('ER-01, ER-02, ER-04, ER-05, ER-06, ER-07, VN-03 [API-2] [API-3]: an error has the same envelope for every code, and a wait only on 429', async () => {
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
    await api.get('/bots/%C3%A4%2F/x', { token, query: { secret: 'x' } }),
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
  expect(failures[6]!.body.path).toBe('/api/v1/bots/%C3%A4%2F/x');
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

/** What the dashboard has and the API does not. */
const OF_THE_DASHBOARD = [
  ...['/webhooks', '/webhooks/secret', '/webhooks/secret/rotate', '/webhooks/deliveries', '/webhooks/health'],
  ...['/webhooks/redeliver', '/webhooks/probe', '/webhooks/deliveries/1/redeliver', '/tokens'],
  ...['/tokens/rotate', '/listener', '/listener/test', '/vote-listener', '/listings', '/people'],
];

test('NS-31, NS-32, SV-09: an unknown route, an operation with another method and all that only the dashboard has are NOT_FOUND', async () => {
  const site = await listing();
  const { token } = await site.owned('bot');
  const unknown = [
    ...['GET /', 'GET /webhooks/votes/', 'GET /webhooks/votes/check/1', 'GET /webhooks/register'],
    ...['PUT /webhooks/register', 'DELETE /webhooks/register', 'GET /webhooks/test'],
    ...['DELETE /webhooks/votes', 'POST /webhooks/votes', 'OPTIONS /webhooks/stats'],
    ...['GET /bots/1/stats', 'PROPFIND /coffee'],
    ...OF_THE_DASHBOARD.flatMap((path) =>
      ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => `${method} ${path}`),
    ),
  ];
  for (const request of unknown) {
    const [method = '', path = ''] = request.split(' ');
    const { verdict } = await site.api.ask(method, path, { token });
    expect([request, verdict]).toEqual([request, '404 NOT_FOUND']);
  }
});

test('SV-01, SV-10, VN-01 [API-1]: the API is below its prefix, in no other version or case, and answers in JSON whatever is accepted', async () => {
  const site = await listing();
  const { token } = await site.owned();
  const headers = { host: `127.0.0.1:${site.port}`, authorization: `Bearer ${token}` };
  for (const prefix of ['', '/api', '/api/v2', '/API/V1']) {
    const { status } = await site.ask(`${prefix}/webhooks/stats`, { headers });
    expect([prefix, status]).toEqual([prefix, 404]);
  }
  for (const [path, more, status] of [
    ['/webhooks/stats', {}, 200],
    ['/webhooks/stats', { authorization: '' }, 401],
    ['/webhooks/votes?limit=0', {}, 400],
    ['/nothing', { accept: 'text/html' }, 404],
  ] as const) {
    const answer = await site.ask(`/api/v1${path}`, { headers: { ...headers, ...more } });
    expect(answer.status).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/json\b/);
  }
});

test('ER-11, NS-32, NS-33: a body that is no JSON object, not UTF-8, over 64 KiB or of another type is VALIDATION_FAILED, and the service still answers', async () => {
  const site = await listing();
  const { token } = await site.owned('bot');
  const post = async (asked: object) => (await site.api.post(CHECK, { token, ...asked })).verdict;
  const valid = JSON.stringify({ userIds: ['1'] });
  for (const text of [
    ...['{bad', '', '[', 'nul', '"\\ud800"', '{"userIds":["\\ud800"]}', '\u0000', '[]', 'NaN'],
    Buffer.from([0xff, 0xfe, 0x7b, 0x22]),
    '['.repeat(1_000_000),
    valid.padEnd(64 * 1024 + 1),
    `{"userIds":${'['.repeat(30_000)}${']'.repeat(30_000)}}`,
  ])
    expect([text, await post({ text })]).toEqual([text, '400 VALIDATION_FAILED']);
  for (const type of [
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'],
    ...['application/xml', ''],
  ])
    expect(await post({ text: valid, headers: { 'Content-Type': type } }), type).toBe(
      '400 VALIDATION_FAILED',
    );
  expect(await post({ text: valid.padEnd(64 * 1024) })).toBe('200');
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  expect(await post({ text: valid, headers })).toBe('200');
});

const FAULT = { message: expect.stringContaining('no such table') };

test('ER-10: a fault is INTERNAL_ERROR for every operation, reveals nothing, and is logged', async () => {
  const site = await listing();
  const { listed, token } = await site.owned('bot');
  const restore = site.lose('votes');
  const { verdict, body } = await site.api.get('/webhooks/votes', { token });
  expect(verdict).toBe('500 INTERNAL_ERROR');
  expect(JSON.stringify(body)).not.toMatch(/votes:|sqlite|no such table|\.ts|at /i);
  expect(site.log.filter(({ level }) => level === 'error')).toMatchObject([
    { code: 'listing-api-failed', fields: { request: 'GET /api/v1/webhooks/votes', err: FAULT } },
  ]);
  restore();
  site.lose('tokens');
  for (const { name, ask } of OPERATIONS)
    expect([name, (await ask(site.api, listed, { token })).code]).toEqual([name, 'INTERNAL_ERROR']);
});

test('a message says what was wrong with a request, and what is right', async () => {
  const site = await listing();
  const { token } = await site.owned('minecraft', 'votes:read', 'webhooks:write');
  const bot = await site.owned('bot');
  const report = `/bots/${bot.listed.id}/stats`;
  const register = (more: object) => ({ body: { webhookUrl: 'http://a.example', ...more } });
  const both = { userIds: ['1'], playerNames: ['Steve'] };
  for (const [method, path, sent, ...facts] of [
    ['POST', CHECK, { body: {} }, 'userIds', 'playerNames', '1 to 50'],
    ['POST', CHECK, { body: both }, 'either', 'userIds', 'playerNames'],
    ['POST', CHECK, { body: { userIds: ['1'], more: 1 } }, 'nothing else'],
    ['POST', CHECK, { body: { userIds: Array(51).fill('1') } }, 'userIds: ', '1 to 50'],
    ['POST', CHECK, { body: { userIds: '1' } }, 'userIds: ', 'list'],
    ['POST', CHECK, { body: { userIds: ['1', 2, 3, 4] } }, 'userIds.1: ', 'string'],
    ['POST', CHECK, { body: { playerNames: ['a b'] } }, 'playerNames.0: ', 'white space'],
    ['GET', CHECK, {}, 'userId', 'playerName'],
    ['GET', '/webhooks/votes', { query: { startDate: 'yesterday' } }, 'startDate: ', '2026-06-03'],
    ['GET', '/webhooks/votes', { query: { limit: '101' } }, 'limit: ', '1 to 100'],
    ['POST', REGISTER, { body: {} }, 'webhookUrl: ', 'missing', 'URL'],
    ['POST', REGISTER, register({ events: ['x'] }), 'events.0: ', 'vote.created'],
    ['POST', REGISTER, register({ isActive: 'yes' }), 'isActive: ', 'true or false'],
    ['POST', REGISTER, register({ secret: '' }), 'secret: ', '1 to 256'],
    ['POST', REGISTER, { body: 5 }, 'object'],
    ['POST', REGISTER, { text: '{"webhookUrl":' }, 'JSON', 'quotes'],
    ['POST', REGISTER, { text: '{}', headers: { 'Content-Type': 'text/plain' } }, 'application/json'],
    ['POST', CHECK, { text: 'userIds=1', headers: { 'Content-Type': 'a/b' } }, 'application/json'],
    ['POST', report, { body: {} }, 'serverCount: ', 'missing', '0 to 10,000,000'],
    ['POST', report, { body: { serverCount: 1.5 } }, 'serverCount: ', 'whole number'],
    ['POST', report, { body: { serverCount: 1, shardCount: 10_001 } }, 'shardCount: ', '0 to 10,000'],
  ] as const) {
    const asked = { token: path === report ? bot.token : token, ...sent };
    const { code, body } = await site.api.ask(method, path, asked);
    expect([sent, code]).toEqual([sent, 'VALIDATION_FAILED']);
    for (const fact of facts) expect(body.message).toContain(fact);
    expect(body.message).not.toContain('Invalid input');
  }
  const asked = { token: bot.token, body: { serverCount: 1 } };
  expect((await site.api.post(report, asked)).status).toBe(200);
  expect((await site.api.post(report, asked)).body.message).toContain('is 1 report a minute');
});
