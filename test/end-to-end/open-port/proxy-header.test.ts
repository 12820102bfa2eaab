import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Connect } from '../../../src/sender/connection.ts';
import { lookInto } from '../../support/config-folder.ts';
import { naming } from '../../support/naming.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import {
  place as configured,
  expectServed,
  expectSummedUp,
  knock,
  openPort,
  refusalCounts,
  SHORT_DEADLINE,
  sentencesOf,
  serve,
  times,
} from './scene.ts';

/** 198.51.100.7:56324 to 203.0.113.5:8192, in both versions of the protocol. */
const LINE = Buffer.from('PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n');
const BINARY = Buffer.from('0d0a0d0a000d0a515549540a2111000cc6336407cb007105dc042000', 'hex');
const HEADERS = [LINE, BINARY];

const PROXY = '127.64.0.1';
const STRANGER = '127.65.0.1';
const BEHIND = {
  listener: {
    host: '127.0.0.1',
    port: 0,
    proxyProtocol: 'required',
    trustedProxies: ['127.64.0.0/24', '127.0.0.1/32'],
  },
};

/** A genuine sender behind the operator's proxy, which adds the header before the vote. */
const proxied =
  (localAddress: string): Connect =>
  (host, port) => {
    const socket = connect({ host, port, localAddress });
    socket.write(LINE);
    return socket;
  };

/** A header and a vote that would be genuine without it. */
async function voteBehind(header: Buffer, port: number, from: string, username: string): Promise<string> {
  const client = await VotifierClient.greeted(port, from);
  client.write(Buffer.concat([header, await client.frame({ username })]));
  return client.untilClosed();
}

test('if no proxy is expected, a PROXY header is counted as one, its vote is refused, and the log says which key to set', async () => {
  const place = await openPort(SHORT_DEADLINE);
  const { port, genuine, logLines } = place;
  await genuine.during(
    ['127.0.0.1', STRANGER],
    Promise.all([
      times(20, (index) => voteBehind(HEADERS[index % 2] ?? LINE, port, STRANGER, 'Smuggled')),
      times(10, (index) => knock(port, STRANGER, HEADERS[index % 2] ?? LINE)),
    ]),
  );
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ 'proxy-header': 30 });
  expect(sentencesOf(logLines(), 'proxy-header')).toEqual([
    naming(STRANGER, 'listener.proxyProtocol', '"required"'),
  ]);
  expectSummedUp(place, 30);
  await expectServed(place);
});

test('a PROXY header from an address that is not a trusted proxy is refused under that address, whatever it claims', async () => {
  const place = await serve(configured(BEHIND), proxied);
  const { port, genuine, logLines } = place;
  await genuine.during(
    [PROXY, '127.64.0.2'],
    times(300, (index) => voteBehind(HEADERS[index % 2] ?? LINE, port, STRANGER, 'Smuggled')),
  );
  await place.stop();
  const refusals = await lookInto(place.ledger).refusals(0);
  expect(refusals).toMatchObject([{ code: 'proxy-untrusted', sender: STRANGER, count: 300 }]);
  expect(sentencesOf(logLines(), 'proxy-untrusted')).toEqual([naming(STRANGER, 'listener.trustedProxies')]);
  expectSummedUp(place, 300);
  await expectServed(place);
});

test('if a proxy is required, a vote that bypasses it is refused as one without a header', async () => {
  const place = await serve(configured(BEHIND), proxied);
  const around = times(60, (index) =>
    voteBehind(Buffer.alloc(0), place.port, [PROXY, STRANGER][index % 2] ?? '', 'Around'),
  );
  await place.genuine.during([PROXY], around);
  await place.stop();
  expect(await refusalCounts(place)).toEqual({ 'proxy-missing': 60 });
  expectSummedUp(place, 60);
  await expectServed(place);
});

test('behind a trusted proxy the vote has the address of the header, in both versions of it', async () => {
  const place = await serve(configured(BEHIND), proxied);
  expect(await voteBehind(LINE, place.port, PROXY, 'By_line')).toBe('{"status":"ok"}\r\n');
  expect(await voteBehind(BINARY, place.port, PROXY, 'By_binary')).toBe('{"status":"ok"}\r\n');
  expect(await lookInto(place.ledger).votes({ limit: 2 })).toMatchObject([
    { player: 'By_binary', address: '198.51.100.7' },
    { player: 'By_line', address: '198.51.100.7' },
  ]);
});

test('a hundred senders at once behind one trusted proxy are all served, while one of them floods', async () => {
  const place = await serve(configured(BEHIND), proxied);
  const { port, genuine } = place;
  const senders = Array.from({ length: 100 }, (_, index) => `203.0.113.${index + 1}`);
  const header = (address: string): Buffer => Buffer.from(`PROXY TCP4 ${address} 203.0.113.250 1 2\r\n`);
  const flood = times(300, (index) =>
    knock(port, PROXY, Buffer.concat([header('192.0.2.9'), Buffer.alloc(300, index)])),
  );
  const heard = await genuine.during(
    [PROXY],
    Promise.all(senders.map((address, index) => voteBehind(header(address), port, PROXY, `Behind_${index}`))),
  );
  expect(heard).toEqual(Array(100).fill('{"status":"ok"}\r\n'));
  await flood;
  await place.stop();
  expect(await lookInto(place.ledger).refusals(0)).toMatchObject([
    { code: 'v1-bad-block', sender: '192.0.2.9', count: 300 },
  ]);
  await expectServed(
    place,
    senders.map((_, index) => `Behind_${index}`),
  );
});
