import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { lockLedger } from '../kit/ledger-file.ts';
import { addressOf, linkOf, operator, page, Reader, raw } from '../kit/page.ts';
import { HASH } from '../kit/place.ts';

const portOf = (teller: Here): number => Number(new URL(addressOf(teller, 'console')).port);

/** Connections that send nothing. */
async function silent(teller: Here, count: number): Promise<readonly Socket[]> {
  const sockets = Array.from({ length: count }, () =>
    connect(portOf(teller), '127.0.0.1').on('error', () => {}),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  return sockets;
}

/** The status of the page for signing in, asked for from this address of the machine. */
async function statusFrom(teller: Here, localAddress: string): Promise<string> {
  const socket = connect({ port: portOf(teller), host: '127.0.0.1', localAddress });
  socket.write(`GET /sign-in HTTP/1.1\r\nHost: 127.0.0.1:${portOf(teller)}\r\nConnection: close\r\n\r\n`);
  return (await text(socket)).slice(9, 12);
}

test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org', '127.evil.example'])(
  'rule 12: without a password, the console does not listen on %s',
  async (host) => {
    const started = here({ console: { port: 0, host } }).then(
      ({ log }) => log.filter(({ level }) => level === 'error').map(({ code }) => code),
      ({ faults, code }) => (faults ?? [{ code }]).map((fault: { code: string }) => fault.code),
    );
    expect(await started).toEqual(['secret-missing']);
  },
);

test('with a password, the console listens on every address', async () => {
  const teller = await here({ console: { port: 0, host: '0.0.0.0', password: HASH } });
  expect(await raw(teller, 'GET /sign-in HTTP/1.1', 'Host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
});

test('an invalid request is answered with JSON that is not cached, even if it is the second on a connection', async () => {
  const teller = await here();
  for (const [status, code, ...lines] of [
    [431, 'headers-too-large', 'GET /here HTTP/1.1', 'Host: a', `X: ${'x'.repeat(17_000)}`],
    [417, 'expectation', 'POST /here HTTP/1.1', 'Host: a', 'Expect: more', 'Content-Length: 0'],
    [400, 'not-http', 'GET /here HTTP/1.1', 'Host: a b'],
    [400, 'not-http', 'GET /here HTTP/1.1', 'Host: 127.0.0.1:1:2'],
    [400, 'not-http', 'GET /here HTTP/1.1'],
    [400, 'not-http', 'GET /here HTTP/1.1', 'Host: a', 'Content-Length: x'],
  ] as const) {
    const [head = '', body = ''] = (await raw(teller, ...lines)).split('\r\n\r\n');
    expect([Number(head.split(' ')[1]), JSON.parse(body)], lines.join()).toMatchObject([status, { code }]);
    for (const header of [
      'Content-Type: application/json',
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
    ])
      expect(head).toContain(`${header}\r\n`);
  }
  const socket = connect(portOf(teller), '127.0.0.1');
  socket.write(GET(teller));
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  socket.write('not http at all\r\n\r\n');
  expect(await text(socket)).toMatch(/HTTP\/1\.1 400 Bad Request\r\n.*"not-http"/s);
});

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';

const GET = (teller: Here): string => `GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${portOf(teller)}\r\n\r\n`;

/** A connection to the console, which has been accepted. */
async function connected(teller: Here): Promise<Socket> {
  const socket = connect(portOf(teller), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  await sleep(20);
  return socket;
}

async function isTooSlow(socket: Socket): Promise<void> {
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(body)).toMatchObject({ code: 'too-slow' });
}

test('a request that has not arrived after 15 seconds is answered with 408: nothing, half a body, headers without an end', async () => {
  const teller = await here();
  const head = `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n${FORM}`;
  const slow: Socket[] = [];
  for (const bytes of ['', `${head}Content-Length: 5\r\n\r\nab`, 'GET /here HTTP/1.1\r\nHost: a\r\n']) {
    const socket = await connected(teller);
    socket.write(bytes);
    slow.push(socket);
  }
  await sleep(50);
  teller.clock.advance(14_999);
  await sleep(20);
  expect(slow.map(({ bytesRead }) => bytesRead)).toEqual([0, 0, 0]);
  teller.clock.advance(1);
  for (const socket of slow) await isTooSlow(socket);
});

test('a request that takes longer than 20 seconds after the response before it is answered with 408, however slowly it goes on', async () => {
  const teller = await here();
  const socket = await connected(teller);
  socket.write(GET(teller));
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  const read = socket.bytesRead;
  for (let second = 0; second < 20; second++) {
    expect(socket.bytesRead).toBe(read);
    socket.write(GET(teller).slice(second, second + 1));
    await sleep(5);
    teller.clock.advance(1_000);
  }
  await isTooSlow(socket);
});

test('a request that arrived just before the limit of 15 seconds is answered, as slowly as it takes', async () => {
  const teller = await here();
  const socket = await connected(teller);
  socket.write(GET(teller));
  teller.clock.advance(15_000);
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  const reader = await operator(teller);
  await reader.get('/test');
  const unlock = lockLedger(teller);
  const posted = reader.post('/test/votes', { player: 'Steve', service: 'List', version: 'v2' });
  await sleep(50);
  teller.clock.advance(60_000);
  await sleep(20);
  unlock();
  expect((await posted).status).toBe(303);
});

test('rule 11: clients that leave in the middle of a body are one line with their number', async () => {
  const teller = await here();
  const at = `Host: 127.0.0.1:${portOf(teller)}`;
  const form = `${at}\r\nOrigin: http://127.0.0.1:${portOf(teller)}\r\n${FORM}`;
  const bodies = ['Transfer-Encoding: chunked\r\n\r\n5\r\nword=', 'Content-Length: 20\r\n\r\nword='];
  for (let time = 0; time < 20; time += 1) {
    const socket = connect(portOf(teller), '127.0.0.1').on('error', () => {});
    // An answer before it: once that has come, the console is in the middle of the form.
    socket.write(`${GET(teller)}POST /sign-out HTTP/1.1\r\n${form}${bodies[time % 2]}`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  }
  await teller.restart();
  expect(teller.log.filter(({ level }) => level === 'error')).toEqual([]);
  const told = teller.log.filter(({ code }) => code === 'requests-cut-off').map(({ fields }) => fields);
  expect(told).toMatchObject([{ requests: 20 }]);
});

test('other clients are served despite 600 silent connections from one address', async () => {
  const teller = await here();
  await silent(teller, 600);
  const others = Array.from({ length: 20 }, (_, at) => statusFrom(teller, `127.0.0.${at + 2}`));
  expect(await Promise.all(others)).toEqual(Array(20).fill('200'));
});

test.each([
  ['64 of 100 silent connections from one address stay open', [], 64],
  ['all connections from a trusted proxy stay open, since they carry many clients', ['127.0.0.0/8'], 100],
])('%s, and none when the console closes', async (_, trustedProxies, left) => {
  const teller = await here({ console: { port: 0, trustedProxies } });
  const sockets = await silent(teller, 100);
  let open = sockets.length;
  for (const socket of sockets) socket.resume().once('close', () => open--);
  // This comes after them, so all of them were accepted when it is answered.
  expect(await statusFrom(teller, '127.0.0.1')).toBe('200');
  teller.clock.advance(2_000);
  await expect.poll(() => open).toBe(left);
  await teller.restart();
  await expect.poll(() => open).toBe(0);
});

const OWN = '127.0.0.1';
const CLIENT = '203.0.113.9';
test.each<[string, string[], [forwarded: string, client: string][]]>([
  ['no proxy is trusted', [], [[CLIENT, OWN]]],
  ['the peer is not a proxy', ['10.0.0.0/8'], [[CLIENT, OWN]]],
  [
    'the peer is a proxy',
    ['127.0.0.0/8', '10.0.0.0/8'],
    [
      [CLIENT, CLIENT],
      // The client wrote one itself; there are two proxies.
      [`1.2.3.4, ${CLIENT}`, CLIENT],
      [`1.2.3.4, ${CLIENT}, 10.0.0.7`, CLIENT],
      [`${CLIENT}:5123`, CLIENT],
      ['[2001:db8::9]:5123', '2001:db8::9'],
      [`::ffff:${CLIENT}`, CLIENT],
      // The proxy does not know the address, or adds none.
      [`${CLIENT}, unknown`, OWN],
      ['', OWN],
    ],
  ],
])('the client behind a proxy is known if %s', async (_, trustedProxies, headers) => {
  const teller = await here({ console: { port: 0, trustedProxies } });
  for (const [forwarded, client] of headers) {
    const { origin, pathname } = new URL(await linkOf(teller));
    const reader = new Reader(origin);
    await reader.get(pathname);
    await reader.post(pathname, {}, { 'x-forwarded-for': forwarded });
    await reader.get('/keys');
    const shown = teller.log.findLast(({ code }) => code === 'keys-shown')?.fields;
    expect([forwarded, shown]).toMatchObject([forwarded, { by: `console from ${client} by link` }]);
  }
});

/** Opens a stream as a browser does, and waits for the start of the answer. */
async function opened({ origin, cookies }: Reader, from = '127.0.0.1') {
  const { host, port } = new URL(origin);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from });
  onTestFinished(() => void socket.destroy());
  let [received, isOpen] = ['', true];
  socket
    .on('data', (bytes) => (received += bytes))
    .on('error', () => {})
    .on('close', () => (isOpen = false));
  const headers = `Host: ${host}\r\nAccept: text/event-stream\r\nCookie: ${cookies.cookie}`;
  socket.write(`GET /live HTTP/1.1\r\n${headers}\r\n\r\n`);
  await once(socket, 'data');
  return { received: () => received, isOpen: () => isOpen, leave: () => socket.destroy() };
}

type Opened = Awaited<ReturnType<typeof opened>>;
const statusOf = ({ received }: Opened): string => received().slice(9, 12);
const changesIn = ({ received }: Opened): number => received().split('event: change\ndata:\n\n').length - 1;

/** Passes this much time at once; then what is on its way arrives. */
async function leap({ clock }: Here, ms: number): Promise<void> {
  clock.advance(ms);
  for (let turn = 0; turn < 5; turn += 1) await sleep(2);
}

async function watched() {
  const teller = await here();
  const reader = await operator(teller);
  await page(teller, '/');
  return { teller, reader, stream: await opened(reader) };
}

test('a stream is an event stream that is not cached, for the operator on its own site, and tells of many votes once in a second at most', async () => {
  const { teller, reader, stream } = await watched();
  expect(stream.received()).toMatch(/^HTTP\/1\.1 200 /);
  expect(stream.received()).toMatch(/^content-type: text\/event-stream\r$/im);
  expect(stream.received()).toMatch(/^cache-control: no-store\r$/im);
  expect(stream.received()).toMatch(/^content-security-policy: /im);
  expect((await reader.get('/live', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const headers = { cookie: reader.cookies.cookie };
  const head = await fetch(`${reader.origin}/live`, { method: 'HEAD', headers });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect((await fetch(`${reader.origin}/live`, { redirect: 'manual' })).status).toBe(303);

  await teller.vote({ player: 'Steve' });
  await teller.until(() => changesIn(stream) > 0);
  await teller.pass(5_000);
  const [before, start] = [changesIn(stream), teller.clock.monotonic()];
  for (let number = 0; number < 20; number += 1) {
    await teller.vote({ player: `Player${number}` });
    await teller.pass(150);
  }
  const seconds = (teller.clock.monotonic() - start) / 1_000;
  const told = changesIn(stream) - before;
  expect(told).toBeGreaterThanOrEqual(2);
  expect(told).toBeLessThanOrEqual(Math.ceil(seconds) + 1);
});

test('a comment is sent every 20 seconds, and a stream ends after 10 minutes, but not because of 100 silent connections or an idle minute', async () => {
  const { teller, stream } = await watched();
  await silent(teller, 100);
  for (let comment = 1; comment <= 29; comment += 1) await leap(teller, 20_000);
  expect(stream.received().match(/\r\n:\n\n/g)).toHaveLength(29);
  expect(stream.isOpen()).toBe(true);
  await leap(teller, 20_000);
  await expect.poll(stream.isOpen).toBe(false);
});

test('the fifth stream of a session is refused with 429, from any address, until one of the four ends; all end when Teller stops', async () => {
  const { teller, reader, stream } = await watched();
  const others: Opened[] = [];
  for (const from of [2, 3, 4]) others.push(await opened(reader, `127.0.0.${from}`));
  expect(statusOf(await opened(reader, '127.0.0.6'))).toBe('429');
  stream.leave();
  await expect.poll(async () => statusOf(await opened(reader))).toBe('200');
  const before = teller.clock.monotonic();
  await teller.restart();
  await expect.poll(() => others.some(({ isOpen }) => isOpen())).toBe(false);
  expect(teller.clock.monotonic() - before).toBeLessThan(2_000);
});
