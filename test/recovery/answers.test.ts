import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { here } from '../kit/here.ts';
import { scriptedListener } from '../kit/listener.ts';
import {
  API_TOKEN,
  broken,
  failure,
  html,
  json,
  limited,
  listingApi,
  record,
  type Script,
  scriptedServer,
  stall,
} from '../kit/listing-api.ts';
import { freePort, serve } from '../kit/serve.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { naming } from '../support/naming.ts';
import { selfSigned } from '../support/network.ts';

const NOW = Date.parse('2026-06-03T12:00:00Z');
const MIB = 1024 * 1024;

interface Api {
  readonly baseUrl: string;
  readonly token?: string;
}

/** Why the API of each site cannot be asked, as the log says once: by site, the cause and the line. */
async function causesOf(apis: Readonly<Record<string, Api>>, stalling = 0) {
  const sites = Object.fromEntries(
    Object.entries(apis).map(([name, api]) => [name, { api: { token: API_TOKEN, ...api } }]),
  );
  const teller = await here({ sites: { default: {}, ...sites } }, new FakeClock(NOW));
  const lines = () => teller.log.filter(({ code }) => code === 'recovery-fault');
  // Time passes only for those that do not answer.
  while (lines().length < Object.keys(apis).length - stalling) await sleep(10);
  await teller.until(() => lines().length === Object.keys(apis).length, 1_000);
  const said = lines().map(({ fields, sentence }) => {
    const { site, cause } = fields as { site: string; cause: string };
    return [site, { cause, sentence }] as const;
  });
  expect(JSON.stringify(teller.log)).not.toContain('8d2f61c0');
  return { said: Object.fromEntries(said), teller };
}

const answering = async (script: Script): Promise<Api> => ({ baseUrl: (await scriptedServer(script)).root });

test('each reason for getting no answer of the API has its code and its facts in the log, and never the token', async () => {
  const port = await freePort();
  const http = (await scriptedServer(json(200, []))).root;
  let requests = 0;
  const tls = await serve(createTlsServer(selfSigned(), () => requests++));
  const other = await scriptedListener((socket) => {
    socket.once('data', () => socket.end('VOTIFIER 2 c0ffee\n'));
  });
  const tooLarge =
    (headers: Record<string, string>, bytes: Buffer): Script =>
    (response) =>
      void response.writeHead(200, headers).end(bytes);
  const large = Buffer.alloc(4 * MIB + 1, ' ');
  const cases: readonly (readonly [Api | Script, string, ...string[]])[] = [
    [{ baseUrl: 'http://127.0.0.1:6667/api/v1' }, 'address-unusable'],
    [{ baseUrl: 'https://list.example/api/v1?x=1' }, 'address-unusable'],
    [{ baseUrl: 'https://list.example/api/v1#x' }, 'address-unusable'],
    [{ baseUrl: http, token: 'tok 1' }, 'token-unusable'],
    [{ baseUrl: http, token: 'tök_1' }, 'token-unusable'],
    [{ baseUrl: 'http://list.invalid/api/v1' }, 'host-unresolvable', 'http://list.invalid/api/v1'],
    [{ baseUrl: `http://127.0.0.1:${port}/api/v1` }, 'port-refused', `http://127.0.0.1:${port}/api/v1`],
    [{ baseUrl: `http://localhost:${port}/api/v1` }, 'port-refused'],
    [{ baseUrl: 'http://255.255.255.255/api/v1' }, 'no-connection'],
    [{ baseUrl: `https://localhost:${tls}/api/v1` }, 'tls-failed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [{ baseUrl: http.replace('http:', 'https:') }, 'tls-failed'],
    [stall, 'deadline', '10 s'],
    [(response) => void response.writeHead(200).write('['), 'deadline', '10 s'],
    [(response) => void response.destroy(), 'connection-lost'],
    [
      (response) =>
        void response.writeHead(200, { 'Content-Length': '9' }).write('[', () => response.destroy()),
      'connection-lost',
    ],
    [
      (response) => void response.writeHead(301, { Location: `https://a.example/?token=${API_TOKEN}` }).end(),
      'redirected',
      'https://a.example/?token=[secret]',
    ],
    [(response) => void response.writeHead(302, { Location: '/' }).write('<html>'), 'redirected'],
    [(response) => void response.writeHead(308, { Location: '/' }).end(), 'redirected'],
    [tooLarge({ 'Content-Length': String(4 * MIB + 1) }, large), 'answer-too-large', '4194304 bytes'],
    [tooLarge({}, large), 'answer-too-large'],
    [tooLarge({ 'Content-Encoding': 'gzip' }, gzipSync(large)), 'answer-too-large'],
    [html(502), 'not-the-api', '502'],
    [html(200), 'not-the-api', '200'],
    [(response) => void response.writeHead(204).end(), 'not-the-api', '204'],
    [json(201, []), 'not-the-api', '201'],
    [json(503, { error: 'no upstream' }), 'not-the-api', '503'],
    [json(400, failure(400, 'TEAPOT')), 'not-the-api', '400'],
    [json(404, failure(401, 'INVALID_TOKEN')), 'not-the-api', '404'],
    [(response) => void response.end(Buffer.from('["\xff"]', 'latin1')), 'not-the-api', '200'],
    [tooLarge({ 'Content-Encoding': 'gzip' }, Buffer.from('[]')), 'not-the-api', 'Z_DATA_ERROR'],
    [{ baseUrl: `http://127.0.0.1:${other.port}/api/v1` }, 'not-the-api', 'HPE_INVALID_CONSTANT'],
    [json(200, { votes: [] }), 'unfit', 'expected array'],
    [json(200, { [API_TOKEN]: 1 }), 'unfit'],
  ];
  const apis: Record<string, Api> = {};
  for (const [index, [api]] of cases.entries())
    apis[`S${index}`] = typeof api === 'function' ? await answering(api) : api;
  const { said } = await causesOf(apis, 2);
  for (const [index, [, cause, ...facts]] of cases.entries()) {
    expect(said[`S${index}`], `S${index}`).toEqual({ cause, sentence: naming(...facts) });
  }
  expect(requests).toBe(0);
});

test('a refusal has its code, says what to check, and hides a token that the service repeats, whole or in colours', async () => {
  const refusing = (status: number, code: string, message: string): Promise<Api> =>
    answering(json(status, failure(status, code, { message })));
  const { said } = await causesOf({
    A: await refusing(401, 'INVALID_TOKEN', `You sent Bearer ${API_TOKEN}!`),
    B: await refusing(403, 'FORBIDDEN', `${'x'.repeat(190)}${API_TOKEN}`),
    C: await refusing(403, 'FORBIDDEN', 'tok_8d2f§a61c0a94b7e35 \u001b[31mred'),
    D: await refusing(404, 'NOT_FOUND', 'Gone.'),
  });
  expect(said).toMatchObject({
    A: { cause: 'INVALID_TOKEN', sentence: naming('/api/v1', 'You sent Bearer [secret]!') },
    B: { cause: 'FORBIDDEN', sentence: expect.stringContaining(`${'x'.repeat(190)}[secret]`) },
    C: { cause: 'FORBIDDEN', sentence: expect.stringContaining('[secret] ?[31mred') },
    D: { cause: 'NOT_FOUND', sentence: naming('sites."D".api.baseUrl') },
  });
});

test('a record that repeats the token does not show it in the log', async () => {
  const clock = new FakeClock(NOW);
  const api = await listingApi(clock);
  const unreadable = { ...record(7, NOW - 2_000), votedAt: API_TOKEN };
  api.answer(json(200, [record(1, NOW - 1_000), unreadable, record(8, NOW - 3_000, `;${API_TOKEN}`)]));
  const teller = await here({ sites: { default: {}, List: api.site() } }, clock);
  await teller.until(() => teller.log.some(({ code }) => code === 'recovered'));
  const codes = teller.log.filter(({ level }) => level === 'warn').map(({ code }) => code);
  expect(codes.toSorted()).toEqual(['api-name-too-long', 'api-not-a-vote']);
  expect(JSON.stringify(teller.log)).not.toContain(API_TOKEN);
});

test('an answer of exactly 4 MiB is read, and a query is sent below the root, which may end with a slash, with the token', async () => {
  const server = await scriptedServer((response) => void response.end(`[]${' '.repeat(4 * MIB - 2)}`));
  const api = { baseUrl: `${server.root}/`, token: API_TOKEN };
  const teller = await here({ sites: { default: {}, List: { api } } }, new FakeClock(NOW));
  await teller.until(() => server.requests.length > 0);
  await teller.pass(1_000);
  expect(server.requests[0]).toMatchObject({
    ...{ method: 'GET', authorization: 'Bearer tok_8d2f61c0a94b7e35' },
    url: expect.stringMatching(/^\/api\/v1\/webhooks\/votes\?/),
  });
  expect(teller.log.filter(({ code }) => code === 'recovery-fault')).toEqual([]);
});

test('`check` asks an API that is busy again after 1 and 2 s and when it says so, and gives up if that would be after more than 5 s', async () => {
  const clock = new FakeClock(NOW);
  const api = await listingApi(clock);
  const teller = await here({ sites: { default: {}, List: api.site() } }, clock);
  await teller.until(() => api.asked.length > 0);
  await teller.pass(1_000);
  await teller.stop();
  /** What it says of the API, and when it asked, in seconds since the first time. */
  const check = async (...scripts: readonly Script[]) => {
    const before = api.asked.length;
    api.answer(...scripts);
    let finding: { mark: string; sentence: string } | undefined;
    void teller.run('check', '--json').then(({ json: found }) => {
      finding = found.find(({ code }: { code: string }) => code === 'api');
    });
    await teller.until(() => finding !== undefined, 100);
    const times = api.asked.slice(before).map(({ at }) => at);
    return { ...finding, at: times.map((at) => Math.floor((at - (times[0] ?? 0)) / 1_000)) };
  };
  expect(await check(broken)).toMatchObject({
    ...{ mark: 'problem', sentence: expect.stringContaining('(INTERNAL_ERROR)'), at: [0, 1, 3] },
  });
  expect(await check(broken, json(200, []))).toMatchObject({ mark: 'ok', at: [0, 1] });
  expect(await check(limited(4), json(200, []))).toMatchObject({ mark: 'ok', at: [0, 4] });
  expect(await check(limited(6))).toMatchObject({
    ...{ mark: 'problem', sentence: expect.stringContaining('(RATE_LIMITED)'), at: [0] },
  });
});
