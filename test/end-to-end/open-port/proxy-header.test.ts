import { expect, test } from 'vitest';
import { naming } from '../../support/naming.ts';
import { VotifierClient } from '../../support/votifier-client.ts';
import {
  configFor,
  expectServed,
  expectSummedUp,
  messagesOf,
  OK,
  openPort,
  refusalCounts,
  refusalsOf,
  repeat,
  SHORT_DEADLINE,
  sendBytes,
  startTarget,
  votesOf,
} from './fixture.ts';

/** 198.51.100.7:56324 to 203.0.113.5:8192, in both versions of the protocol. */
const LINE = Buffer.from('PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n');
const BINARY = Buffer.from('0d0a0d0a000d0a515549540a2111000cc6336407cb007105dc042000', 'hex');
const HEADERS = [LINE, BINARY];

const PROXY = '127.64.0.1';
const STRANGER = '127.65.0.1';
const BEHIND_PROXY = {
  listener: {
    host: '127.0.0.1',
    port: 0,
    proxyProtocol: 'required',
    trustedProxies: ['127.64.0.0/24', '127.0.0.1/32'],
  },
};

/** Sends the header and then a valid vote. */
async function voteBehind(header: Buffer, port: number, from: string, username: string): Promise<string> {
  const client = await VotifierClient.greeted(port, from);
  client.write(Buffer.concat([header, await client.frame({ username })]));
  return client.untilClosed();
}

test('if no proxy is expected, a vote with a PROXY header is refused as proxy-header, and the log says which key to set', async () => {
  const target = await openPort(SHORT_DEADLINE);
  const { port, genuine, logLines } = target;
  await genuine.during(
    ['127.0.0.1', STRANGER],
    Promise.all([
      repeat(20, (index) => voteBehind(HEADERS[index % 2] ?? LINE, port, STRANGER, 'Smuggled')),
      repeat(10, (index) => sendBytes(port, STRANGER, HEADERS[index % 2] ?? LINE)),
    ]),
  );
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ 'proxy-header': 30 });
  expect(messagesOf(logLines(), 'proxy-header')).toEqual([
    naming(STRANGER, 'listener.proxyProtocol', '"required"'),
  ]);
  expectSummedUp(target, 30);
  await expectServed(target);
});

test('a PROXY header from an address that is not a trusted proxy is refused and counted under that address, not the one in the header', async () => {
  const target = await startTarget(configFor(BEHIND_PROXY), String(LINE));
  const { port, genuine, logLines } = target;
  await genuine.during(
    [PROXY, '127.64.0.2'],
    repeat(300, (index) => voteBehind(HEADERS[index % 2] ?? LINE, port, STRANGER, 'Smuggled')),
  );
  await target.stop();
  const refusals = await refusalsOf(target);
  expect(refusals).toMatchObject([{ code: 'proxy-untrusted', senders: [STRANGER], count: 300 }]);
  expect(messagesOf(logLines(), 'proxy-untrusted')).toEqual([naming(STRANGER, 'listener.trustedProxies')]);
  expectSummedUp(target, 300);
  await expectServed(target);
});

test('if a proxy is required, a vote that bypasses it is refused as proxy-missing', async () => {
  const target = await startTarget(configFor(BEHIND_PROXY), String(LINE));
  const bypassing = repeat(60, (index) =>
    voteBehind(Buffer.alloc(0), target.port, [PROXY, STRANGER][index % 2] ?? '', 'Bypassing'),
  );
  await target.genuine.during([PROXY], bypassing);
  await target.stop();
  expect(await refusalCounts(target)).toEqual({ 'proxy-missing': 60 });
  expectSummedUp(target, 60);
  await expectServed(target);
});

test('a vote through a trusted proxy is recorded with the address in the header, in both versions', async () => {
  const target = await startTarget(configFor(BEHIND_PROXY), String(LINE));
  expect(await voteBehind(LINE, target.port, PROXY, 'By_line')).toBe(OK);
  expect(await voteBehind(BINARY, target.port, PROXY, 'By_binary')).toBe(OK);
  expect((await votesOf(target)).slice(0, 2)).toMatchObject([
    { player: 'By_binary', address: '198.51.100.7' },
    { player: 'By_line', address: '198.51.100.7' },
  ]);
});

test('a hundred senders behind one trusted proxy are all answered ok while another one floods', async () => {
  const target = await startTarget(configFor(BEHIND_PROXY), String(LINE));
  const { port, genuine } = target;
  const senders = Array.from({ length: 100 }, (_, index) => `203.0.113.${index + 1}`);
  const header = (address: string): Buffer => Buffer.from(`PROXY TCP4 ${address} 203.0.113.250 1 2\r\n`);
  const flood = repeat(300, (index) =>
    sendBytes(port, PROXY, Buffer.concat([header('192.0.2.9'), Buffer.alloc(300, index)])),
  );
  const answers = await genuine.during(
    [PROXY],
    Promise.all(senders.map((address, index) => voteBehind(header(address), port, PROXY, `Behind_${index}`))),
  );
  expect(answers).toEqual(Array(100).fill(OK));
  await flood;
  await target.stop();
  expect(await refusalsOf(target)).toMatchObject([
    { code: 'v1-bad-block', senders: ['192.0.2.9'], count: 300 },
  ]);
  await expectServed(
    target,
    senders.map((_, index) => `Behind_${index}`),
  );
});
