import { get } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import {
  expectServed,
  expectSummedUp,
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

test('a connection that is closed without a byte is counted as empty', async () => {
  const target = await openPort();
  const scan = repeat(300, async () => {
    const client = await VotifierClient.open(target.port, SCANNER);
    client.end();
    await client.untilClosed();
  });
  await target.genuine.during(FROM, scan);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ empty: 300 });
  expectSummedUp(target, 300);
  await expectServed(target);
});
