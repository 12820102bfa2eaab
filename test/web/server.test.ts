import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { type FaultBody, faultCodeOf, type ServerFault } from '../../src/web/server-faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { isSettled } from '../support/listening.ts';
import { silentLog } from '../support/log.ts';
import { loggedLines } from '../support/logged-lines.ts';
import { samplePages } from '../support/sample-pages.ts';

const serving = async (
  host = '127.0.0.1',
  visitors: 'signed-in' | 'local' | 'anyone' = 'local',
  clock: Clock = systemClock,
  more: { readonly faultBody?: FaultBody; readonly trustedProxies?: readonly string[] } = {},
) => {
  const { app, taken } = samplePages();
  const named = { key: 'listing.port', likelyHolder: 'another one' };
  const options = { host, port: 0, ...named, visitors, clock, log: silentLog, ...more };
  const server = await servePages(app.fetch, options);
  onTestFinished(() => server.close());
  return { port: server.address.port, server, taken };
};

/** The response to a request, with its JSON body. */
async function faultOf(port: number, ...lines: readonly string[]) {
  const answer = await answerTo(port, ...lines);
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, body: JSON.parse(body) };
}

const answerTo = (port: number, ...lines: readonly string[]): Promise<string> =>
  answerFrom('127.0.0.1', port, ...lines);

/** Sends these lines from this address and returns everything that the server answers. */
async function answerFrom(localAddress: string, port: number, ...lines: readonly string[]): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', localAddress });
  await once(socket, 'connect');
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

test('serves pages on a real socket, under its own host only', async () => {
  const { port } = await serving();
  expect(await answerTo(port, 'GET / HTTP/1.1', `Host: 127.0.0.1:${port}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await answerTo(port, 'GET / HTTP/1.1', 'Host: evil.example')).toMatch(/^HTTP\/1\.1 421 /);
  expect(await answerTo(port, 'GET / HTTP/1.0')).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await answerTo(port, 'GET http://evil.example/ HTTP/1.1', 'Host: evil.example')).toMatch(
    /^HTTP\/1\.1 4\d\d /,
  );
});

test('WF-05: refuses a foreign form on a real socket with 403', async () => {
  const { port, taken } = await serving();
  const answer = await answerTo(
    port,
    'POST /take HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    'Origin: http://evil.example',
    'Content-Type: application/x-www-form-urlencoded',
    'Content-Length: 0',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 403 /);
  expect(taken).toEqual([]);
});

test('also limits a body whose length is not stated', async () => {
  const { port } = await serving();
  const chunk = 'x'.repeat(0x8000);
  const answer = await answerTo(
    port,
    'POST /take HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    `Origin: http://127.0.0.1:${port}`,
    'Content-Type: application/x-www-form-urlencoded',
    'Transfer-Encoding: chunked',
    'Connection: close',
    '',
    ...[1, 2, 3].map(() => `8000\r\n${chunk}`),
    '0',
  );
  expect(answer).toMatch(/^HTTP\/1\.1 413 /);
});

test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org', '127.evil.example'])(
  'refuses to listen on %s for visitors who are local',
  async (host) => {
    await expect(serving(host)).rejects.toMatchObject({ code: 'config-value' });
  },
);

test.each(['signed-in', 'anyone'] as const)(
  'listens on all addresses for visitors who are %s',
  async (visitors) => {
    const { port } = await serving('0.0.0.0', visitors);
    expect(await answerTo(port, 'GET / HTTP/1.1', 'Host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
  },
);

test('closes even if a silent connection is open', async () => {
  const clock = new FakeClock();
  const { port, server } = await serving('127.0.0.1', 'local', clock);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  socket.resume().on('error', () => {});
  const closed = server.close();
  clock.advance(2_000);
  await Promise.all([closed, ended]);
});

describe('an invalid request is answered with JSON that is not cached', () => {
  test.each<[number, string, string, string[]]>([
    [431, 'headers-too-large', 'long headers', ['GET /here HTTP/1.1', 'Host: a', `X: ${'x'.repeat(17_000)}`]],
    [
      417,
      'expectation',
      'Expect',
      ['POST /here?a=b HTTP/1.1', 'Host: a', 'Expect: more', 'Content-Length: 0'],
    ],
    [400, 'not-http', 'a Host that is not valid', ['GET /here HTTP/1.1', 'Host: a b']],
    [400, 'not-http', 'a Host with two ports', ['GET /here HTTP/1.1', 'Host: 127.0.0.1:1:2']],
    [400, 'not-http', 'no Host', ['GET /here HTTP/1.1']],
    [400, 'not-http', 'an invalid length', ['GET /here HTTP/1.1', 'Host: a', 'Content-Length: x']],
  ])('%i, %s: %s', async (status, code, _, lines) => {
    const faultBody = ({ code: fault, path }: ServerFault) => ({ fault, path });
    const { port } = await serving('127.0.0.1', 'local', systemClock, { faultBody });
    const fault = await faultOf(port, ...lines);
    expect([fault.status, fault.body]).toEqual([status, { fault: code, path: '/here' }]);
    expect(fault.head).toMatch(/^Content-Type: application\/json\r?$/m);
    expect(fault.head).toMatch(/^Cache-Control: no-store\r?$/m);
    expect(fault.head).toMatch(/^X-Content-Type-Options: nosniff\r?$/m);
  });

  test('even if it is the second request on a connection', async () => {
    const { port } = await serving();
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(String(first)).toMatch(/^HTTP\/1\.1 200 /);
    socket.write('not http at all\r\n\r\n');
    expect(await text(socket)).toMatch(/HTTP\/1\.1 400 Bad Request\r\n.*"not-http"/s);
  });

  test.each([
    [
      'its body never arrives completely',
      'POST /here?a=b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab',
      '/here',
    ],
    ['its headers never end', 'GET /here HTTP/1.1\r\nHost: a\r\n', ''],
  ])('with 408 after 15 seconds if %s', async (_, bytes, path) => {
    const clock = new FakeClock();
    const server = await servePages(async (request) => new Response(await request.text()), {
      ...{ host: '127.0.0.1', port: 0, key: 'listing.port', likelyHolder: 'another one', visitors: 'local' },
      ...{ clock, log: silentLog, faultBody: (fault: ServerFault) => fault },
    });
    onTestFinished(() => server.close());
    const socket = connect(server.address.port, '127.0.0.1');
    socket.write(bytes);
    await isSettled(Promise.resolve()); // it has arrived
    clock.advance(15_000);
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    expect(head).toMatch(/^HTTP\/1\.1 408 /);
    expect(JSON.parse(body)).toMatchObject({ code: 'too-slow', status: 408, path });
  });

  test('except one that cannot be answered', () => {
    // A connection that was reset.
    expect(faultCodeOf(Object.assign(new Error(), { code: 'ECONNRESET' }))).toBeNull();
  });
});

describe('a client that leaves before its request has arrived', () => {
  /** Sends the start of a form to a site, waits until the site reads it, and leaves. */
  async function left(port: number, headers: string): Promise<void> {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    const type = 'Content-Type: application/x-www-form-urlencoded';
    // A page before it: once that is answered, the site is in the middle of the form.
    socket.write(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const start = `POST /take HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: http://127.0.0.1:${port}\r\n${type}`;
    socket.write(`${start}\r\n${headers}`);
    await once(socket, 'data');
    socket.resetAndDestroy();
  }

  test.each([
    ['a chunked body', 'Transfer-Encoding: chunked\r\n\r\n5\r\nword='],
    ['a body with a length', 'Content-Length: 20\r\n\r\nword='],
  ])(
    'with %s is no fault of a page: rule 11: one line has the number of each interval',
    async (_, headers) => {
      const clock = new FakeClock();
      const { log, lines, codes } = loggedLines();
      const { app } = samplePages({ log });
      const named = { host: '127.0.0.1', port: 0, key: 'listing.port', likelyHolder: 'another one' };
      const server = await servePages(app.fetch, { ...named, visitors: 'local', clock, log });
      for (let time = 0; time < 20; time += 1) await left(server.address.port, headers);
      await server.close();
      expect([codes('error'), codes('warn')]).toEqual([[], []]);
      expect(codes('info')).toEqual(['requests-cut-off']);
      expect(lines.at(-1)?.fields).toMatchObject({ requests: 20 });
    },
  );
});

describe('connections', () => {
  /** Opens connections that send nothing. */
  async function silent(port: number, count: number): Promise<void> {
    const sockets = Array.from({ length: count }, () => connect(port, '127.0.0.1'));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
    });
    for (const socket of sockets) socket.on('error', () => {});
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  }

  test('from other clients are served despite 600 silent ones from one address', async () => {
    const { port } = await serving();
    await silent(port, 600);
    const request = ['GET / HTTP/1.1', `Host: 127.0.0.1:${port}`];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, other) => answerFrom(`127.0.0.${other + 2}`, port, ...request)),
    );
    expect(answers.map((answer) => answer.slice(0, 12))).toEqual(Array(20).fill('HTTP/1.1 200'));
  });
});

test.each([
  ['keeps 64 of 100 silent connections from one address open', [], 64],
  ['keeps all connections from a trusted proxy open, since they carry many clients', ['127.0.0.0/8'], 100],
])('%s', async (_, trustedProxies, left) => {
  const clock = new FakeClock();
  const { port } = await serving('127.0.0.1', 'local', clock, { trustedProxies });
  const sockets = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  let open = sockets.length;
  for (const socket of sockets) socket.resume().once('close', () => open--);
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  // This request comes after them, so all of them were accepted when it is answered.
  const request = ['GET / HTTP/1.1', `Host: 127.0.0.1:${port}`];
  expect(await answerTo(port, ...request)).toMatch(/^HTTP\/1\.1 200 /);
  clock.advance(2_000);
  await expect.poll(() => open).toBe(left);
});

describe('the client behind a proxy', () => {
  const clientOf = async (trustedProxies: readonly string[], ...headers: readonly string[]) => {
    const server = await servePages((_, { clientAddress }) => new Response(clientAddress), {
      ...{ host: '127.0.0.1', port: 0, key: 'listing.port', likelyHolder: 'another one', visitors: 'local' },
      ...{ clock: systemClock, log: silentLog, trustedProxies },
    });
    onTestFinished(() => server.close());
    const answer = await answerTo(server.address.port, 'GET / HTTP/1.1', 'Host: 127.0.0.1', ...headers);
    return answer.split('\r\n\r\n')[1];
  };

  test.each([
    ['no proxy is trusted', [], ['X-Forwarded-For: 203.0.113.9'], '127.0.0.1'],
    ['the peer is a proxy', ['127.0.0.0/8'], ['X-Forwarded-For: 203.0.113.9'], '203.0.113.9'],
    ['the peer is not a proxy', ['10.0.0.0/8'], ['X-Forwarded-For: 203.0.113.9'], '127.0.0.1'],
    [
      'the client wrote one itself',
      ['127.0.0.0/8'],
      ['X-Forwarded-For: 1.2.3.4, 203.0.113.9'],
      '203.0.113.9',
    ],
    [
      'there are two proxies',
      ['127.0.0.0/8', '10.0.0.0/8'],
      ['X-Forwarded-For: 1.2.3.4, 203.0.113.9', 'X-Forwarded-For: 10.0.0.7'],
      '203.0.113.9',
    ],
    ['a port is added', ['127.0.0.0/8'], ['X-Forwarded-For: 203.0.113.9:5123'], '203.0.113.9'],
    ['it is IPv6 with a port', ['127.0.0.0/8'], ['X-Forwarded-For: [2001:db8::9]:5123'], '2001:db8::9'],
    ['it is IPv4 inside IPv6', ['127.0.0.0/8'], ['X-Forwarded-For: ::ffff:203.0.113.9'], '203.0.113.9'],
    [
      'the proxy does not know the address',
      ['127.0.0.0/8'],
      ['X-Forwarded-For: 203.0.113.9, unknown'],
      '127.0.0.1',
    ],
    ['the proxy adds no address', ['127.0.0.0/8'], [], '127.0.0.1'],
  ])('is found if %s', async (_, trustedProxies, headers, client) => {
    expect(await clientOf(trustedProxies, ...headers)).toBe(client);
  });
});
