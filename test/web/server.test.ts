import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { systemClock } from '../../src/runtime/clock.ts';
import { servePages } from '../../src/web/server.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { samplePages } from '../support/sample-pages.ts';

const serving = async (host = '127.0.0.1', hasPassword = false, clock: Clock = systemClock) => {
  const { app, taken } = samplePages();
  const options = { host, port: 0, key: 'listing.port', likelyHolder: 'another one', hasPassword, clock };
  const server = await servePages(app.fetch, options);
  onTestFinished(() => server.close());
  return { port: server.address.port, server, taken };
};

/** What a server answers to these bytes, until it closes. */
async function answerTo(port: number, ...lines: readonly string[]): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(`${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
  return text(socket);
}

test('a page is served on a real socket, under its own host only', async () => {
  const { port } = await serving();
  expect(await answerTo(port, 'GET / HTTP/1.1', `Host: 127.0.0.1:${port}`)).toMatch(/^HTTP\/1\.1 200 /);
  expect(await answerTo(port, 'GET / HTTP/1.1', 'Host: evil.example')).toMatch(/^HTTP\/1\.1 421 /);
  expect(await answerTo(port, 'GET / HTTP/1.0')).toMatch(/^HTTP\/1\.1 4\d\d /);
  expect(await answerTo(port, 'GET http://evil.example/ HTTP/1.1', 'Host: evil.example')).toMatch(
    /^HTTP\/1\.1 4\d\d /,
  );
});

test('WF-05: a foreign form on a real socket is refused with 403', async () => {
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

test('a body without a length is cut at the limit too', async () => {
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
  '%s is refused as an address without a password',
  async (host) => {
    await expect(serving(host)).rejects.toMatchObject({ code: 'config-value' });
  },
);

test('another address than loopback is taken where there is a password', async () => {
  const { port } = await serving('0.0.0.0', true);
  expect(await answerTo(port, 'GET / HTTP/1.1', 'Host: localhost')).toMatch(/^HTTP\/1\.1 200 /);
});

test('a connection that says nothing does not keep the server from ending', async () => {
  const clock = new FakeClock();
  const { port, server } = await serving('127.0.0.1', false, clock);
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const ended = once(socket, 'close');
  socket.resume().on('error', () => {});
  const closed = server.close();
  clock.advance(2_000);
  await Promise.all([closed, ended]);
});
