import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { addressOf, linkOf, raw, visitor } from '../kit/page.ts';

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
  const password =
    '$scrypt$ln=4,r=8,p=1$c2FsdC1vZi10aGUtZmlycw==$5PzGhnDd6hCyjkeJvxPEupAXM4IsIeFz3JdrLAujqXs=';
  const teller = await here({ console: { port: 0, host: '0.0.0.0', password } });
  expect(await raw(teller, 'GET /sign-in HTTP/1.1', 'Host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
});

test.each<[number, string, string, string[]]>([
  [431, 'headers-too-large', 'long headers', ['GET /here HTTP/1.1', 'Host: a', `X: ${'x'.repeat(17_000)}`]],
  [417, 'expectation', 'Expect', ['POST /here HTTP/1.1', 'Host: a', 'Expect: more', 'Content-Length: 0']],
  [400, 'not-http', 'a Host that is not valid', ['GET /here HTTP/1.1', 'Host: a b']],
  [400, 'not-http', 'a Host with two ports', ['GET /here HTTP/1.1', 'Host: 127.0.0.1:1:2']],
  [400, 'not-http', 'no Host', ['GET /here HTTP/1.1']],
  [400, 'not-http', 'an invalid length', ['GET /here HTTP/1.1', 'Host: a', 'Content-Length: x']],
])(
  '%i, %s: an invalid request is answered with JSON that is not cached: %s',
  async (status, code, _, lines) => {
    const [head = '', body = ''] = (await raw(await here(), ...lines)).split('\r\n\r\n');
    expect([Number(head.split(' ')[1]), JSON.parse(body)]).toMatchObject([status, { code }]);
    for (const header of [
      'Content-Type: application/json',
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
    ])
      expect(head).toContain(`${header}\r\n`);
  },
);

test('an invalid request is answered even if it is the second on a connection', async () => {
  const teller = await here();
  const socket = connect(portOf(teller), '127.0.0.1');
  socket.write(`GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:${portOf(teller)}\r\n\r\n`);
  expect(String(await once(socket, 'data'))).toMatch(/^HTTP\/1\.1 200 /);
  socket.write('not http at all\r\n\r\n');
  expect(await text(socket)).toMatch(/HTTP\/1\.1 400 Bad Request\r\n.*"not-http"/s);
});

const FORM = 'Content-Type: application/x-www-form-urlencoded\r\n';

test.each([
  [
    'its body never arrives completely',
    `POST /sign-in HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n${FORM}Content-Length: 5\r\n\r\nab`,
  ],
  ['its headers never end', 'GET /here HTTP/1.1\r\nHost: a\r\n'],
])('a request is answered with 408 after 15 seconds if %s', async (_, bytes) => {
  const teller = await here();
  const socket = connect(portOf(teller), '127.0.0.1');
  socket.write(bytes);
  await sleep(50);
  teller.clock.advance(14_999);
  await sleep(20);
  expect(socket.bytesRead).toBe(0);
  teller.clock.advance(1);
  const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
  expect(head).toMatch(/^HTTP\/1\.1 408 /);
  expect(JSON.parse(body)).toMatchObject({ code: 'too-slow' });
});

test.each([
  ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n5\r\nword='],
  ['a body with a length', 'Content-Length: 20\r\n\r\nword='],
])('rule 11: clients that leave in the middle of %s are one line with their number', async (_, headers) => {
  const teller = await here();
  const at = `Host: 127.0.0.1:${portOf(teller)}`;
  const form = `${at}\r\nOrigin: http://127.0.0.1:${portOf(teller)}\r\nContent-Type: application/x-www-form-urlencoded`;
  for (let time = 0; time < 20; time += 1) {
    const socket = connect(portOf(teller), '127.0.0.1').on('error', () => {});
    // An answer before it: once that has come, the console is in the middle of the form.
    socket.write(`GET /healthz HTTP/1.1\r\n${at}\r\n\r\nPOST /sign-out HTTP/1.1\r\n${form}\r\n${headers}`);
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
])('%s', async (_, trustedProxies, left) => {
  const teller = await here({ console: { port: 0, trustedProxies } });
  const sockets = await silent(teller, 100);
  let open = sockets.length;
  for (const socket of sockets) socket.resume().once('close', () => open--);
  // This comes after them, so all of them were accepted when it is answered.
  expect(await statusFrom(teller, '127.0.0.1')).toBe('200');
  teller.clock.advance(2_000);
  await expect.poll(() => open).toBe(left);
});

test('the console closes even if a silent connection is open', async () => {
  const teller = await here();
  const [socket] = await silent(teller, 1);
  const ended = once(socket!.resume(), 'close');
  await Promise.all([teller.restart(), ended]);
});

const OWN = '127.0.0.1';
test.each([
  ['no proxy is trusted', [], '203.0.113.9', OWN],
  ['the peer is a proxy', ['127.0.0.0/8'], '203.0.113.9', '203.0.113.9'],
  ['the peer is not a proxy', ['10.0.0.0/8'], '203.0.113.9', OWN],
  ['the client wrote one itself', ['127.0.0.0/8'], '1.2.3.4, 203.0.113.9', '203.0.113.9'],
  ['there are two proxies', ['127.0.0.0/8', '10.0.0.0/8'], '1.2.3.4, 203.0.113.9, 10.0.0.7', '203.0.113.9'],
  ['a port is added', ['127.0.0.0/8'], '203.0.113.9:5123', '203.0.113.9'],
  ['it is IPv6 with a port', ['127.0.0.0/8'], '[2001:db8::9]:5123', '2001:db8::9'],
  ['it is IPv4 inside IPv6', ['127.0.0.0/8'], '::ffff:203.0.113.9', '203.0.113.9'],
  ['the proxy does not know the address', ['127.0.0.0/8'], '203.0.113.9, unknown', OWN],
  ['the proxy adds no address', ['127.0.0.0/8'], '', OWN],
])('the client behind a proxy is known if %s', async (_, trustedProxies, forwarded, client) => {
  const teller = await here({ console: { port: 0, trustedProxies } });
  const reader = await visitor(teller);
  const { pathname } = new URL(await linkOf(teller));
  await reader.get(pathname);
  await reader.post(pathname, {}, { 'x-forwarded-for': forwarded });
  await reader.get('/keys');
  const shown = teller.log.filter(({ code }) => code === 'keys-shown').map(({ fields }) => fields);
  expect(shown).toMatchObject([{ by: `console from ${client} by link` }]);
});
