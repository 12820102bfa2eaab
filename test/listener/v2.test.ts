import { expect, test } from 'vitest';
import { type RefusalCode, refusals as table } from '../../protocol/votifier/refusals.ts';
import { arrived, isSettled } from '../kit/connected.ts';
import { lockLedger, moveLedgerAway } from '../kit/ledger-file.ts';
import { openPort, type Port } from '../kit/port.ts';
import { TOKEN } from '../kit/vote.ts';
import type { VotifierClient } from '../support/votifier-client.ts';

const OK = '{"status":"ok"}\r\n';

test('a v2 vote [V2-13] is stored as received, answered ok in one write, and the connection is closed', async () => {
  const { teller, greeted, votes, refused } = await openPort();
  const client = await greeted();
  client.write(await client.frame());
  expect(await client.untilClosed()).toBe(OK);
  expect(client.reads).toHaveLength(2);
  expect(await votes()).toMatchObject([
    {
      ...{ channel: 'listener-v2', service: 'List', player: 'Steve', address: '127.0.0.1' },
      ...{ claimedAt: '2026-06-01T12:00:00.123Z', receivedAt: '2026-06-01T12:00:00.000Z' },
    },
  ]);
  const { out } = await teller.run('explain', 'Steve', '--bytes');
  for (const part of ['serviceName', 'username', '1780315200123', '192.0.2.1']) expect(out).toContain(part);
  expect(refused()).toEqual([]);
});

test('a v2 vote [V2-13] is answered only when it is stored', async () => {
  const { teller, greeted, sent } = await openPort();
  const unlock = lockLedger(teller);
  const first = await greeted();
  first.write(await first.frame());
  // By then a complete exchange of another sender has ended.
  await sent(`GET /${'a'.repeat(300)} HTTP/1.1\r\n\r\n`);
  expect(await isSettled(first.untilClosed())).toBe(false);
  expect(first.answer).toBe('');
  unlock();
  expect(await first.untilClosed()).toBe(OK);
});

test('a v2 vote from a sender that has half-closed the connection is still answered', async () => {
  const { teller, greeted } = await openPort();
  const unlock = lockLedger(teller);
  const client = await greeted();
  client.end(await client.frame());
  await arrived();
  unlock();
  expect(await client.untilClosed()).toBe(OK);
});

test('a v2 vote is read even if it arrives one byte at a time', async () => {
  const { greeted, players } = await openPort();
  const client = await greeted();
  for (const byte of await client.frame()) client.write(Buffer.from([byte]));
  expect(await client.untilClosed()).toBe(OK);
  expect(await players()).toEqual(['Steve']);
});

test('a v2 vote [R-5] counts once, even if a line end, a second frame, or a third after the answer follows', async () => {
  const { greeted, players, refused } = await openPort();
  const client = await greeted();
  const [first, second] = [await client.frame(), await client.frame({ username: 'Alex' })];
  client.write(Buffer.concat([first, Buffer.from('\r\n'), second]));
  while (client.answer === '') await arrived();
  client.write(second);
  expect(await client.untilClosed()).toBe(OK);
  expect(await players()).toEqual(['Steve']);
  expect(refused()).toEqual([]);
});

test('a v2 vote [V2-12] without a frame is answered like a framed one', async () => {
  const { greeted, players } = await openPort();
  const client = await greeted();
  client.write(Buffer.concat([(await client.frame()).subarray(4), Buffer.from('\r\n')]));
  expect(await client.untilClosed()).toBe(OK);
  expect(await players()).toEqual(['Steve']);
});

const framed = (body: string): Buffer => {
  const bytes = Buffer.from(`s:  ${body}`);
  bytes.writeUInt16BE(bytes.length - 4, 2);
  return bytes;
};
const unsigned = (payload: string): Buffer => framed(JSON.stringify({ payload, signature: 'x' }));

type Wrong = readonly [
  code: RefusalCode,
  answer: string,
  bytes: (client: VotifierClient, port: Port) => Buffer | Promise<Buffer>,
  service: string,
];
const vote =
  (change: object, token?: string): Wrong[2] =>
  (client) =>
    client.frame(change, token);

/** What a sender can do wrong, and the cause and the error that it is told. */
const WRONG: readonly Wrong[] = [
  ['v2-oversized', 'OversizedMessage: Message too large', () => Buffer.from('733a10017b', 'hex'), ''],
  [
    'v2-malformed',
    'CorruptedFrame: Message is not a JSON object with payload and signature',
    () => framed('{"payload":1,"signature":"12345678"}'),
    '',
  ],
  ['v2-payload', 'InvalidPayload: Payload is not a JSON object', () => unsigned('[1,2,3]'), ''],
  [
    'v2-payload-service',
    'InvalidPayload: Payload field serviceName must be a string',
    () => unsigned('{}'),
    '',
  ],
  [
    'v2-payload-username',
    'InvalidPayload: Payload field username must be a string',
    () => unsigned('{"serviceName":"List","username":null}'),
    '',
  ],
  [
    'v2-payload-challenge',
    'InvalidPayload: Payload field challenge must be a string',
    () => unsigned('{"serviceName":"List","username":"Steve"}'),
    '',
  ],
  [
    'v2-challenge',
    'InvalidChallenge: Challenge is not valid',
    async (_, port) => (await port.greeted()).frame(),
    'List',
  ],
  [
    'v2-unknown-service',
    "UnknownService: Unknown service 'Nobody'",
    vote({ serviceName: 'Nobody' }),
    'Nobody',
  ],
  [
    'v2-signature',
    'InvalidSignature: Signature is not valid (invalid token?)',
    vote({}, 'another token'),
    'List',
  ],
  [
    'service-not-allowed',
    'InvalidService: Service name too long',
    vote({ serviceName: 'x'.repeat(129) }),
    `${'x'.repeat(128)}…`,
  ],
  ['name-too-long', 'InvalidUsername: Username too long', vote({ username: 'a'.repeat(17) }), 'List'],
  [
    'name-not-allowed',
    'InvalidUsername: Username is not a valid player name',
    vote({ username: 'St€ve' }),
    'List',
  ],
  [
    'name-unknown-prefix',
    'InvalidUsername: Username is not a valid player name',
    vote({ username: '~Steve' }),
    'List',
  ],
  [
    'site-protocol',
    'UnsupportedProtocol: This protocol version is switched off for this service',
    vote({ serviceName: 'By v1' }),
    'By v1',
  ],
  [
    'site-address',
    'AddressNotAllowed: Votes for this service are not taken from this address',
    vote({ serviceName: 'Elsewhere' }),
    'Elsewhere',
  ],
  [
    'ledger-unable',
    'StorageUnavailable: The vote could not be stored, send it again later',
    (client, { teller }) => {
      moveLedgerAway(teller);
      return client.frame();
    },
    'List',
  ],
];

const SITES = {
  List: { token: TOKEN },
  'By v1': { token: TOKEN, protocols: ['v1'] },
  Elsewhere: { token: TOKEN, from: ['203.0.113.0/24'] },
};

test.each<Wrong>(WRONG)(
  'a v2 message that is refused as %s is answered with the reason in one write and closed',
  async (code, answer, bytes, service) => {
    const [cause, error] = answer.split(': ');
    const sites = code === 'v2-unknown-service' ? SITES : { default: { token: TOKEN }, ...SITES };
    const port = await openPort({}, { sites });
    const client = await port.greeted();
    client.write(await bytes(client, port));
    expect(await client.untilClosed()).toBe(`${JSON.stringify({ status: 'error', cause, error })}\r\n`);
    expect(client.reads).toHaveLength(2);
    const shown = service === '' ? '' : `${service} `;
    expect(port.refused()).toEqual([`${code} ${shown}127.0.0.1`]);
    if (code !== 'ledger-unable') expect(await port.votes()).toEqual([]);
  },
);

test('a v2 message that is refused has a case above for every code that is answered', () => {
  const heard = Object.entries(table).filter(([, entry]) => 'hears' in entry);
  // v2-off: see below.
  const tried = [...WRONG.map(([code]) => code), 'v2-off'];
  expect(heard.map(([code]) => code).sort()).toEqual(tried.sort());
});

test('where version 2 is switched off, a v2 vote is told so, and a v1 vote counts', async () => {
  const { greeted, sent, block, players, refused } = await openPort({ protocols: ['v1'] });
  const client = await greeted();
  client.write(await client.frame());
  const answer = JSON.parse(await client.untilClosed());
  expect(answer).toMatchObject({ status: 'error', cause: 'UnsupportedProtocol' });
  expect(await sent(block('Alex'))).toBe('');
  expect(await players()).toEqual(['Alex']);
  expect(refused()).toEqual(['v2-off 127.0.0.1']);
});

test('where version 1 is switched off, a v1 block gets no answer, and a v2 vote counts', async () => {
  const { greeted, sent, block, players, refused } = await openPort({ protocols: ['v2'] });
  expect(await sent(block('Alex'))).toBe('');
  const client = await greeted();
  client.write(await client.frame());
  expect(await client.untilClosed()).toBe(OK);
  expect(await players()).toEqual(['Steve']);
  expect(refused()).toEqual(['v1-off 127.0.0.1']);
});

test.each([[['v1', 'v2']], [['v2']]])(
  '[R-6] a long HTTP request is classified as http, whichever versions are switched on: %j',
  async (protocols) => {
    const { sent, refused } = await openPort({ protocols });
    expect(await sent(`GET /${'a'.repeat(300)} HTTP/1.1\r\n\r\n`)).toBe('');
    expect(refused()).toEqual(['http 127.0.0.1']);
  },
);
