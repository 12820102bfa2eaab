import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { type Here, here } from '../kit/here.ts';
import { operator, page, type Reader } from '../kit/page.ts';

interface Opened {
  readonly received: () => string;
  readonly isOpen: () => boolean;
  readonly leave: () => void;
}

/** Opens a stream as a browser does, and waits for the start of the answer. */
async function opened({ origin, cookies }: Reader, from = '127.0.0.1'): Promise<Opened> {
  const { host, port } = new URL(origin);
  const socket = connect({ port: Number(port), host: '127.0.0.1', localAddress: from });
  onTestFinished(() => void socket.destroy());
  let [received, isOpen] = ['', true];
  socket
    .on('data', (bytes) => (received += bytes))
    .on('error', () => {})
    .on('close', () => (isOpen = false));
  const lines = [
    'GET /live HTTP/1.1',
    `Host: ${host}`,
    'Accept: text/event-stream',
    `Cookie: ${cookies.cookie}`,
  ];
  socket.write([...lines, '', ''].join('\r\n'));
  await once(socket, 'data');
  return { received: () => received, isOpen: () => isOpen, leave: () => socket.destroy() };
}

const statusOf = ({ received }: Opened): string => received().slice(9, 12);
const changesIn = ({ received }: Opened): number => received().split('event: change\ndata:\n\n').length - 1;

/** What is on its way arrives; no time passes. */
const transit = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await sleep(2);
};

/** Passes this much time at once. */
async function leap({ clock }: Here, ms: number): Promise<void> {
  clock.advance(ms);
  await transit();
}

async function watched(): Promise<{ teller: Here; reader: Reader; stream: Opened }> {
  const teller = await here();
  const reader = await operator(teller);
  await page(teller, '/');
  return { teller, reader, stream: await opened(reader) };
}

test('a stream is an event stream that is not cached, and tells of a vote', async () => {
  const { teller, stream } = await watched();
  expect(stream.received()).toMatch(/^HTTP\/1\.1 200 /);
  expect(stream.received()).toMatch(/^content-type: text\/event-stream\r$/im);
  expect(stream.received()).toMatch(/^cache-control: no-store\r$/im);
  expect(stream.received()).toMatch(/^content-security-policy: /im);
  const before = changesIn(stream);
  await teller.vote({ player: 'Steve' });
  await teller.until(() => changesIn(stream) > before);
});

test('many votes are told of once in a second at most', async () => {
  const { teller, stream } = await watched();
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

test('a comment is sent every 20 seconds, and a stream ends after 10 minutes', async () => {
  const { teller, stream } = await watched();
  for (let comment = 1; comment <= 29; comment += 1) await leap(teller, 20_000);
  expect(stream.received().match(/\r\n:\n\n/g)).toHaveLength(29);
  expect(stream.isOpen()).toBe(true);
  await leap(teller, 20_000);
  await expect.poll(stream.isOpen).toBe(false);
});

test('streams end when Teller stops', async () => {
  const { teller, stream } = await watched();
  const before = teller.clock.monotonic();
  await teller.restart();
  await expect.poll(stream.isOpen).toBe(false);
  expect(teller.clock.monotonic() - before).toBeLessThan(2_000);
});

test('the fifth stream of a session is refused with 429, from any address, until one of the four ends', async () => {
  const { reader, stream } = await watched();
  for (const from of [2, 3, 4]) await opened(reader, `127.0.0.${from}`);
  expect(statusOf(await opened(reader, '127.0.0.6'))).toBe('429');
  stream.leave();
  await expect.poll(async () => statusOf(await opened(reader))).toBe('200');
});

test('a stream outlives 100 silent connections and an idle minute', async () => {
  const { teller, reader, stream } = await watched();
  const port = Number(new URL(reader.origin).port);
  const silent = Array.from({ length: 100 }, () => connect(port, '127.0.0.1').on('error', () => {}));
  onTestFinished(() => {
    for (const socket of silent) socket.destroy();
  });
  await Promise.all(silent.map((socket) => once(socket, 'connect')));
  for (let passed = 0; passed < 60_000; passed += 5_000) await leap(teller, 5_000);
  expect(stream.isOpen()).toBe(true);
});

test('another site cannot open a stream, a visitor gets none, and a HEAD request opens none', async () => {
  const { reader } = await watched();
  expect((await reader.get('/live', { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const head = await fetch(`${reader.origin}/live`, {
    method: 'HEAD',
    headers: { cookie: reader.cookies.cookie },
  });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
  expect((await fetch(`${reader.origin}/live`, { redirect: 'manual' })).status).toBe(303);
});
