/** Scanners, browsers and silent connections at the port for votes. */
import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import {
  expectServed,
  expectSummedUp,
  OK,
  openPort,
  refusalCounts,
  repeat,
  SHORT_DEADLINE,
  sendBytes,
} from '../end-to-end/open-port/fixture.ts';
import { VotifierClient } from '../support/votifier-client.ts';

const SCANNER = '127.61.0.1';
const FROM = ['127.0.0.1', SCANNER];

const GET = 'GET / HTTP/1.1\r\nHost: 203.0.113.5:8192\r\n\r\n';
const POST = `POST /login HTTP/1.1\r\nHost: 203.0.113.5:8192\r\nContent-Length: 400\r\n\r\n${'a'.repeat(400)}`;
/** The two requests that a browser sends on one connection. */
const PAIR = ['/', '/favicon.ico'].map(
  (path) =>
    `GET ${path} HTTP/1.1\r\nHost: 203.0.113.5:8192\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n`,
);

/** Node's HTTP client, which cannot parse the Votifier greeting. */
const realGet = (port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, localAddress: SCANNER }).on('error', ({ message }) => resolve(message));
  });

const realTls = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: SCANNER });
    connectTls({ socket, servername: 'example.org' }).on('error', ({ message }) => resolve(message));
  });

test('HTTP requests get no answer, are counted as http, and delay no vote', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const { port, genuine } = target;
  const requests = [GET, POST, PAIR.join('')];
  const answers = await genuine.during(
    FROM,
    Promise.all([
      ...Array.from({ length: 30 }, (_, index) => sendBytes(port, SCANNER, requests[index % 3] ?? '')),
      realGet(port),
    ]),
  );
  expect(answers.slice(0, 30)).toEqual(Array(30).fill(''));
  expect(answers[30]).toContain('Parse Error');
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ http: 31 });
  expectSummedUp(target, 31);
  await expectServed(target);
});

test('TLS hellos, whole or truncated, are counted as tls and delay no vote', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const { port, genuine } = target;
  const beginning = Buffer.from('16030100f5010000f10303', 'hex');
  const errors = await genuine.during(
    FROM,
    Promise.all([
      ...Array.from({ length: 10 }, () => realTls(port)),
      ...Array.from({ length: 20 }, () => sendBytes(port, SCANNER, beginning)),
    ]),
  );
  expect(errors[0]).toContain('wrong version number');
  expect(errors.slice(10)).toEqual(Array(20).fill(''));
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ tls: 30 });
  expectSummedUp(target, 30);
  await expectServed(target);
});

test('SSH banners are counted as ssh and delay no vote', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const banners = ['SSH-2.0-Go\r\n', 'SSH-2.0-OpenSSH_9.6p1 Ubuntu-3\r\n', 'SSH-2.0-libssh2_1.11.0\r\n'];
  await target.genuine.during(
    FROM,
    repeat(30, (index) => sendBytes(target.port, SCANNER, banners[index % 3] ?? ''), 30),
  );
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ ssh: 30 });
  expectSummedUp(target, 30);
  await expectServed(target);
});

test.each([
  ['a single byte', 's'],
  ['no bytes', ''],
])(
  'a connection with %s is closed at the deadline and counted, without a log line for each',
  async (_, bytes) => {
    const target = await openPort(SHORT_DEADLINE);
    const { port, genuine } = target;
    const addressOf = (index: number): string => `127.61.0.${1 + (index % 10)}`;
    const silent = repeat(200, (index) => sendBytes(port, addressOf(index), bytes), 200);
    await genuine.during(FROM, silent);
    await target.stop();
    expect(await refusalCounts(target)).toEqual({ deadline: 200 });
    expectSummedUp(target, 200);
    await expectServed(target);
  },
);

/** Connections that send nothing and stay open until the listener closes them. */
class IdleConnections {
  /** The numbers of the connections that the listener has closed, in that order. */
  readonly closed: number[] = [];
  private opened = 0;

  constructor(private readonly port: number) {}

  get open(): number {
    return this.opened - this.closed.length;
  }

  async add(number: number, localAddress: string): Promise<void> {
    const socket: Socket = connect({ host: '127.0.0.1', port: this.port, localAddress });
    onTestFinished(() => void socket.destroy());
    socket.on('error', () => {}).resume(); // A reset also closes it.
    socket.on('close', () => this.closed.push(number));
    await once(socket, 'connect');
    this.opened++;
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Votes as a distant sender does, whose frame arrives 300 ms after the greeting. */
async function voteWithLatency(port: number, username: string): Promise<string> {
  const client = await VotifierClient.greeted(port, '127.0.0.2');
  const frame = await client.frame({ username, timestamp: String(Date.now()) });
  await sleep(300);
  client.write(frame);
  return client.untilClosed();
}

test('3,000 idle connections from one range never fill the port: votes from that range and from distant senders are accepted', {
  timeout: 60_000,
}, async () => {
  const target = await openPort();
  const idle = new IdleConnections(target.port);
  const opening = repeat(3_000, (index) => idle.add(index, `127.63.0.${1 + (index % 250)}`));
  // From another range, from an address that also floods, and from another address of the flooding range.
  const from = ['127.0.0.1', '127.63.0.9', '127.63.0.254'];
  const distant = Promise.all(
    ['Distant_1', 'Distant_2'].map((player) => voteWithLatency(target.port, player)),
  );
  await target.genuine.during(from, opening);
  expect(await distant).toEqual(Array(2).fill(OK));
  expect(idle.open).toBeLessThanOrEqual(1_024);
  await target.genuine.during(from, expect.poll(() => idle.open, { timeout: 10_000 }).toBe(0));

  await target.stop();
  const { crowded = 0, deadline = 0, ...others } = await refusalCounts(target);
  expect([crowded + deadline, others]).toEqual([3_000, {}]);
  expect(crowded).toBeGreaterThanOrEqual(3_000 - 1_024);
  expectSummedUp(target, 3_000);
  await expectServed(target, ['Distant_1', 'Distant_2']);
});

test('if an address floods the port, its oldest silent connections are closed first, and a genuine vote from it is accepted', {
  timeout: 60_000,
}, async () => {
  const target = await openPort({ listener: { host: '127.0.0.1', port: 0, deadline: '3s' } });
  const idle = new IdleConnections(target.port);
  const opening = repeat(200, (index) => idle.add(index, '127.63.0.9'), 1);
  await target.genuine.during(['127.63.0.9'], opening);
  await target.genuine.during(
    ['127.63.0.9'],
    expect.poll(() => idle.closed.length, { timeout: 10_000 }).toBe(200),
  );

  await target.stop();
  const { crowded = 0, deadline = 0 } = await refusalCounts(target);
  expect(crowded + deadline).toBe(200);
  expect(crowded).toBeGreaterThanOrEqual(200 - 32);
  expect(idle.closed.slice(0, crowded).toSorted((a, b) => a - b)).toEqual(upTo(crowded));
  await expectServed(target);
});
