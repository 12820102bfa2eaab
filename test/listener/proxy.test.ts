import { expect, test } from 'vitest';
import { arrived } from '../kit/connected.ts';
import { openPort } from '../kit/port.ts';
import { naming } from '../support/naming.ts';

const OK = '{"status":"ok"}\r\n';
const LINE = Buffer.from('PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n');

/** Version 2: signature, version and command, family, length, then the given bytes. */
const binary = (command: number, family: number, hex: string): Buffer =>
  Buffer.concat([
    Buffer.from('0d0a0d0a000d0a515549540a', 'hex'),
    Buffer.from([0x20 | command, family, 0, hex.length / 2]),
    Buffer.from(hex, 'hex'),
  ]);

/** 198.51.100.7:56324 to 203.0.113.5:8192, and an extension that is skipped. */
const BINARY = binary(1, 0x11, `c6336407cb007105dc042000${'040001ff'}`);
/** The same sender, as a proxy on a dual-stack socket names it. */
const MAPPED = binary(1, 0x21, `${'0000'.repeat(5)}ffffc6336407${'0000'.repeat(5)}ffffcb007105dc042000`);
const IPV6 = binary(1, 0x21, `20010db8${'0000'.repeat(5)}0007${'20010db8'.padEnd(32, '0')}dc042000`);

const REQUIRED = { proxyProtocol: 'required' } as const;

test('if the PROXY protocol is required, [P-2] [P-3] a vote is recorded with the real address that is in the header, or else with the proxy’s own', async () => {
  const { greeted, votes, refused } = await openPort(REQUIRED);
  const [real, own] = ['198.51.100.7', '127.0.0.1'];
  const headers: readonly (readonly [string, Buffer, string])[] = [
    ['version 1', LINE, real],
    ['version 2', BINARY, real],
    ['version 2 with an IPv4 address inside an IPv6 one', MAPPED, real],
    ['version 2 with an IPv6 address', IPV6, '2001:db8::7'],
    ['version 1 with an IPv6 address', Buffer.from('PROXY TCP6 2001:DB8::7 ::1 1 2\r\n'), '2001:db8::7'],
    ['version 1 with IPv4 inside', Buffer.from('PROXY TCP6 ::FFFF:198.51.100.7 ::1 1 2\r\n'), real],
    ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n'), own],
    ['UNKNOWN with addresses', Buffer.from('PROXY UNKNOWN ::1 ::1 1 2\r\n'), own],
    ['LOCAL', binary(0, 0, ''), own],
    ['LOCAL with an address that is not to be used', binary(0, 0x11, 'c6336407cb007105dc042000'), own],
    ['UNSPEC', binary(1, 0, ''), own],
    ['UNIX', binary(1, 0x31, '00'.repeat(108)), own],
  ];
  for (const [at, [what, header]] of headers.entries()) {
    const client = await greeted();
    client.write(Buffer.concat([header, await client.frame({ username: `P${at}` })]));
    expect([what, await client.untilClosed()]).toEqual([what, OK]);
  }
  const found = (await votes()).map(({ address, channel }, at) => [headers[at]?.[0], address, channel]);
  expect(found).toEqual(headers.map(([what, , address]) => [what, address, 'listener-v2']));
  expect(refused()).toEqual([]);
});

test('if the PROXY protocol is required, [P-4] anything else is closed without an answer, and the listener keeps running', async () => {
  const { sent, block, clock, votes, refused } = await openPort(REQUIRED);
  const wrong: readonly (readonly [string, string, Buffer])[] = [
    ['a v1 block', 'proxy-missing', block()],
    ['an HTTP request', 'http', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a family that does not exist', 'proxy-malformed', Buffer.from('PROXY TCP9 1.1.1.1 2.2.2.2 1 2\r\n')],
    ['an address with a zone', 'proxy-malformed', Buffer.from('PROXY TCP6 fe80::1%a.b ::1 1 2\r\n')],
    ['a line without an end', 'proxy-malformed', Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`)],
    ['version 3', 'proxy-malformed', Buffer.from('0d0a0d0a000d0a515549540a31110000', 'hex')],
    ['an address cut short', 'proxy-malformed', binary(1, 0x11, 'c6336407')],
    [
      'extensions beyond 2,048 bytes',
      'proxy-malformed',
      Buffer.from('0d0a0d0a000d0a515549540a2111ffff', 'hex'),
    ],
  ];
  for (const [what, code, bytes] of wrong) {
    clock.advance(10_000);
    expect([what, await sent(bytes)]).toEqual([what, '']);
    expect([what, refused().at(-1)]).toEqual([what, `${code} 127.0.0.1`]);
  }
  expect(refused()).toHaveLength(wrong.length);
  await sent(Buffer.concat([LINE, block()]));
  expect(await votes()).toHaveLength(1);
});

test.each([
  ['[P-4] a truncated header is malformed', LINE.subarray(0, 20), 'proxy-malformed 127.0.0.1'],
  ['[P-4] a connection without a byte is empty', Buffer.alloc(0), 'empty 127.0.0.1'],
  ['a health check that sends a header and closes is empty', binary(0, 0, ''), 'empty 127.0.0.1'],
  [
    'a refusal after the header is counted under the real address',
    Buffer.concat([LINE, Buffer.from('GET / HTTP/1.1\r\n\r\n')]),
    'http 198.51.100.7',
  ],
])('if the PROXY protocol is required: %s', async (_, bytes, refusal) => {
  const { greeted, refused } = await openPort(REQUIRED);
  const client = await greeted();
  client.end(bytes);
  await client.untilClosed();
  expect(refused()).toEqual([refusal]);
});

test('if the PROXY protocol is required, only the first header is believed, because a sender behind the proxy can send a second one', async () => {
  const { sent, block, votes, refused } = await openPort(REQUIRED);
  const forged = Buffer.from('PROXY TCP4 192.0.2.99 203.0.113.5 1 2\r\n');
  await sent(Buffer.concat([LINE, forged, block()]));
  expect(await votes()).toEqual([]);
  expect(refused()).toEqual(['proxy-header 198.51.100.7']);
});

test.each([
  ['version 1', LINE],
  ['version 2', BINARY],
])(
  'if the PROXY protocol is required a %s header may be cut anywhere, also byte by byte',
  async (_, header) => {
    const { greeted, block, votes } = await openPort(REQUIRED);
    const cut = async (at: number): Promise<void> => {
      const client = await greeted();
      const bytes = Buffer.concat([header, block(`P${at}`)]);
      client.write(bytes.subarray(0, at));
      await arrived();
      client.write(bytes.subarray(at));
      await client.untilClosed();
    };
    const places = Array.from({ length: header.length + 2 }, (_each, at) => at + 1);
    await Promise.all(places.map(cut));
    const client = await greeted();
    for (const byte of Buffer.concat([header, block()])) client.write(Buffer.from([byte]));
    await client.untilClosed();
    const addresses = (await votes()).map(({ address }) => address);
    expect(addresses).toEqual(Array(places.length + 1).fill('198.51.100.7'));
  },
);

test('if the PROXY protocol is off, a PROXY header is refused with the key to set, and no vote is accepted', async () => {
  const { sent, block, votes, refused, sentences } = await openPort();
  await sent(Buffer.concat([LINE, block()]));
  expect(await votes()).toEqual([]);
  expect(refused()).toEqual(['proxy-header 127.0.0.1']);
  expect(sentences()).toEqual([naming('127.0.0.1', 'listener.proxyProtocol', '"required"')]);
});

test.each([
  ['IPv4', '127.0.0.0/8'],
  ['IPv4 inside IPv6', '::ffff:127.0.0.0/104'],
])('if trusted proxies are configured, the header of one of them is believed: %s', async (_, network) => {
  const { sent, block, votes } = await openPort({ ...REQUIRED, trustedProxies: ['10.0.0.0/8', network] });
  await sent(Buffer.concat([LINE, block()]));
  expect(await votes()).toMatchObject([{ address: '198.51.100.7' }]);
});

test('if trusted proxies are configured, the header of any other sender is refused with the key to set, and counted under the sender’s own address', async () => {
  const { sent, block, votes, refused, sentences } = await openPort({
    ...REQUIRED,
    trustedProxies: ['10.0.0.0/8', '::1/128'],
  });
  await sent(Buffer.concat([LINE, block()]));
  expect(await votes()).toEqual([]);
  expect(refused()).toEqual(['proxy-untrusted 127.0.0.1']);
  expect(sentences()).toEqual([naming('127.0.0.1', 'listener.trustedProxies')]);
});
