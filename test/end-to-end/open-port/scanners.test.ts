import { get } from 'node:http';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, test } from 'vitest';
import { VotifierClient } from '../../support/votifier-client.ts';
import {
  expectServed,
  expectSummedUp,
  knock,
  openPort,
  refusalCounts,
  SHORT_DEADLINE,
  times,
} from './scene.ts';

const SCANNER = '127.61.0.1';
const FROM = ['127.0.0.1', SCANNER];

const GET = 'GET / HTTP/1.1\r\nHost: 203.0.113.5:8192\r\n\r\n';
const POST = `POST /login HTTP/1.1\r\nHost: 203.0.113.5:8192\r\nContent-Length: 400\r\n\r\n${'a'.repeat(400)}`;
/** What a browser asks for on the connection that it keeps open. */
const PAIR = ['/', '/favicon.ico'].map(
  (path) =>
    `GET ${path} HTTP/1.1\r\nHost: 203.0.113.5:8192\r\nUser-Agent: Mozilla/5.0 (X11; Linux x86_64)\r\nAccept: */*\r\nConnection: keep-alive\r\n\r\n`,
);

/** A public HTTP client, which fails on the greeting. */
const realGet = (port: number): Promise<string> =>
  new Promise((resolve) => {
    get({ host: '127.0.0.1', port, localAddress: SCANNER }).on('error', ({ message }) => resolve(message));
  });

const realTls = (port: number): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, localAddress: SCANNER });
    connectTls({ socket, servername: 'example.org' }).on('error', ({ message }) => resolve(message));
  });

test('HTTP requests are counted as http, are answered nothing, and delay no vote', async () => {
  const place = await openPort(SHORT_DEADLINE);
  const { port, genuine } = place;
  const requests = [GET, POST, PAIR.join('')];
  const heard = await genuine.during(
    FROM,
    Promise.all([
      ...Array.from({ length: 30 }, (_, index) => knock(port, SCANNER, requests[index % 3] ?? '')),
      realGet(port),
    ]),
  );
  expect(heard.slice(0, 30)).toEqual(Array(30).fill(''));
  expect(heard[30]).toContain('Parse Error');
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ http: 31 });
  expectSummedUp(place, 31);
  await expectServed(place);
});

test('TLS hellos are counted as tls, whole ones and the first bytes of one, and delay no vote', async () => {
  const place = await openPort(SHORT_DEADLINE);
  const { port, genuine } = place;
  const beginning = Buffer.from('16030100f5010000f10303', 'hex');
  const errors = await genuine.during(
    FROM,
    Promise.all([
      ...Array.from({ length: 10 }, () => realTls(port)),
      ...Array.from({ length: 20 }, () => knock(port, SCANNER, beginning)),
    ]),
  );
  expect(errors[0]).toContain('wrong version number');
  expect(errors.slice(10)).toEqual(Array(20).fill(''));
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ tls: 30 });
  expectSummedUp(place, 30);
  await expectServed(place);
});

test('SSH banners are counted as ssh and delay no vote', async () => {
  const place = await openPort(SHORT_DEADLINE);
  const banners = ['SSH-2.0-Go\r\n', 'SSH-2.0-OpenSSH_9.6p1 Ubuntu-3\r\n', 'SSH-2.0-libssh2_1.11.0\r\n'];
  await place.genuine.during(
    FROM,
    times(30, (index) => knock(place.port, SCANNER, banners[index % 3] ?? ''), 30),
  );
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ ssh: 30 });
  expectSummedUp(place, 30);
  await expectServed(place);
});

test.each([
  ['one byte and silence', 's'],
  ['nothing at all', ''],
])('%s is closed at the deadline and counted, without a log line for each', async (_, bytes) => {
  const place = await openPort(SHORT_DEADLINE);
  const { port, genuine } = place;
  const addressOf = (index: number): string => `127.61.0.${1 + (index % 10)}`;
  const silent = times(200, (index) => knock(port, addressOf(index), bytes), 200);
  await genuine.during(FROM, silent);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ deadline: 200 });
  expectSummedUp(place, 200);
  await expectServed(place);
});

test('a connection that is closed without a byte is counted as empty', async () => {
  const place = await openPort();
  const scan = times(300, async () => {
    const client = await VotifierClient.open(place.port, SCANNER);
    client.end();
    await client.untilClosed();
  });
  await place.genuine.during(FROM, scan);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ empty: 300 });
  expectSummedUp(place, 300);
  await expectServed(place);
});
