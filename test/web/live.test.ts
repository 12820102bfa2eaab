import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { servePages } from '../../src/web/server.ts';
import { FakeBrowser } from '../support/fake-browser.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { isSettled } from '../support/listening.ts';
import { silentLog } from '../support/log.ts';
import { SESSION, samplePages } from '../support/sample-pages.ts';

/** The sample pages on a real socket, with a clock that stands still. */
async function serving() {
  const clock = new FakeClock();
  const { app, changes } = samplePages({ clock });
  const named = { key: 'listing.port', likelyHolder: 'another one' };
  const server = await servePages(app.fetch, {
    ...{ host: '127.0.0.1', port: 0, ...named, visitors: 'local', clock, log: silentLog },
  });
  onTestFinished(() => server.close());
  return { clock, changes, server, port: server.address.port };
}

interface Opened {
  readonly socket: Socket;
  /** Everything that the server sent. */
  readonly received: () => string;
  readonly isOpen: () => boolean;
}

/** Opens a stream as a browser does, and waits for the start of the response. */
async function opened(port: number, cookie = '', from = '127.0.0.1'): Promise<Opened> {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  onTestFinished(() => void socket.destroy());
  let received = '';
  let isOpen = true;
  socket.on('data', (bytes) => {
    received += bytes;
  });
  socket
    .on('error', () => {})
    .on('close', () => {
      isOpen = false;
    });
  const lines = ['GET /live HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Accept: text/event-stream'];
  socket.write([...lines, `Cookie: ${cookie}`, '', ''].join('\r\n'));
  await once(socket, 'data');
  await transit();
  return { socket, received: () => received, isOpen: () => isOpen };
}

/** Waits until everything in transit on loopback has been handled. */
const transit = (): Promise<boolean> => isSettled(Promise.resolve());

const signedIn = `sample-session=${SESSION}`;
const changesIn = (text: string): number => text.split('event: change\ndata:\n\n').length - 1;

test('a stream is an event stream that is not cached, and tells of a change at once', async () => {
  const { port, changes } = await serving();
  const { received } = await opened(port);
  expect(received()).toMatch(/^HTTP\/1\.1 200 /);
  expect(received()).toMatch(/^content-type: text\/event-stream\r$/im);
  expect(received()).toMatch(/^cache-control: no-store\r$/im);
  expect(received()).toMatch(/^content-security-policy: /im);
  changes.happen();
  await expect.poll(() => changesIn(received())).toBe(1);
});

test('100 changes in a second are told twice: at once, and when the second is over', async () => {
  const { port, changes, clock } = await serving();
  const { received } = await opened(port);
  for (let change = 0; change < 100; change++) changes.happen();
  await transit();
  expect(changesIn(received())).toBe(1);
  clock.advance(999);
  await transit();
  expect(changesIn(received())).toBe(1);
  clock.advance(1);
  await expect.poll(() => changesIn(received())).toBe(2);
  clock.advance(60_000);
  await transit();
  expect(changesIn(received())).toBe(2);
});

test('a comment is sent every 20 seconds, and a stream ends after 10 minutes', async () => {
  const { port, changes, clock } = await serving();
  const { received, isOpen } = await opened(port);
  for (let comment = 1; comment <= 29; comment++) {
    clock.advance(20_000);
    await transit();
  }
  expect(received().match(/\r\n:\n\n/g)).toHaveLength(29);
  expect(isOpen()).toBe(true);
  clock.advance(20_000);
  await expect.poll(isOpen).toBe(false);
  expect(changes.watchers).toBe(0);
});

test('nothing is watched and no timer runs while no stream is open', async () => {
  const { port, changes } = await serving();
  expect(changes.watchers).toBe(0);
  const first = await opened(port);
  const second = await opened(port);
  expect(changes.watchers).toBe(1);
  first.socket.destroy();
  await transit();
  expect(changes.watchers).toBe(1);
  second.socket.destroy();
  await expect.poll(() => changes.watchers).toBe(0);
});

test('streams end at once when the server closes, without a wait of 2 seconds', async () => {
  const { port, server } = await serving();
  const streams = [await opened(port), await opened(port)];
  // The clock stands still, so the limit of 2 seconds never comes.
  await server.close();
  for (const { isOpen } of streams) await expect.poll(isOpen).toBe(false);
});

test('a stream outlives the limits of requests and idle connections, and 100 silent connections', async () => {
  const { port, changes, clock } = await serving();
  const { received, isOpen } = await opened(port);
  const silent = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
  });
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  for (let passed = 0; passed < 60_000; passed += 5_000) {
    clock.advance(5_000);
    await transit();
  }
  changes.happen();
  await expect.poll(() => changesIn(received())).toBe(1);
  expect(isOpen()).toBe(true);
});

describe('the fifth stream is refused with 429', () => {
  test('of a session, from any address', async () => {
    const { port } = await serving();
    for (const from of [2, 3, 4, 5]) await opened(port, signedIn, `127.0.0.${from}`);
    expect((await opened(port, signedIn, '127.0.0.6')).received()).toMatch(/^HTTP\/1\.1 429 /);
    expect((await opened(port)).received()).toMatch(/^HTTP\/1\.1 200 /);
  });

  test('of an address without a session, with any cookies, until one of the four ends', async () => {
    const { port } = await serving();
    const [first] = [await opened(port), await opened(port), await opened(port), await opened(port)];
    const refused = await opened(port, 'sample-visitor=another');
    expect(refused.received()).toMatch(/^HTTP\/1\.1 429 /);
    first!.socket.destroy();
    await transit();
    expect((await opened(port)).received()).toMatch(/^HTTP\/1\.1 200 /);
  });
});

test('the 129th stream is refused with 429', async () => {
  const { port } = await serving();
  for (let stream = 0; stream < 128; stream++) await opened(port, '', `127.0.1.${1 + (stream >> 2)}`);
  expect((await opened(port, '', '127.0.2.1')).received()).toMatch(/^HTTP\/1\.1 429 /);
});

test('a reader that has stopped reading is cut', async () => {
  const clock = new FakeClock();
  const { app, changes } = samplePages({ clock });
  const ended: string[] = [];
  const outgoing = { destroy: () => ended.push('cut') };
  const request = new Request('http://localhost/live', { headers: { host: 'localhost' } });
  await app.fetch(request, { outgoing });
  for (let change = 0; change < 20; change++) {
    changes.happen();
    clock.advance(1_000);
  }
  expect(ended).toEqual(['cut']);
  expect(changes.watchers).toBe(0);
});

test('another site cannot open a stream, and a HEAD request opens none', async () => {
  const { app, changes } = samplePages();
  const foreign = await new FakeBrowser(app).get('/live', { 'sec-fetch-site': 'cross-site' });
  expect(foreign.status).toBe(403);
  const head = await app.request('http://localhost/live', { method: 'HEAD', headers: { host: 'localhost' } });
  expect(head.status).toBe(200);
  expect(changes.watchers).toBe(0);
});
