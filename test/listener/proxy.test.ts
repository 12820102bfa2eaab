import { describe, expect, test } from 'vitest';
import { withinNetworks } from '../../src/core/address.ts';
import { oneByOne, splitAt } from '../support/connection.ts';
import { conversationOf } from '../support/in-memory-connection.ts';
import { listening } from '../support/listening.ts';
import { VotifierClient, voteBlock } from '../support/votifier-client.ts';

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

describe('if the PROXY protocol is required', () => {
  test.each([
    ['version 1', LINE, '198.51.100.7'],
    ['version 2', BINARY, '198.51.100.7'],
    ['version 2 with an IPv4 address inside an IPv6 one', MAPPED, '198.51.100.7'],
    ['version 2 with an IPv6 address', IPV6, '2001:db8::7'],
    ['version 1 with an IPv6 address', Buffer.from('PROXY TCP6 2001:DB8::7 ::1 1 2\r\n'), '2001:db8::7'],
    [
      'version 1 with an IPv4 address inside',
      Buffer.from('PROXY TCP6 ::FFFF:198.51.100.7 ::1 1 2\r\n'),
      '198.51.100.7',
    ],
  ])('a vote behind %s is recorded with the real address', async (_, header, address) => {
    const { port, votes, refusals } = await listening(REQUIRED);
    const client = await VotifierClient.greeted(port);
    client.write(Buffer.concat([header, await client.frame()]));
    expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
    expect(votes).toMatchObject([{ address, channel: 'listener-v2' }]);
    expect(refusals).toEqual([]);
  });

  test.each([
    ['UNKNOWN', Buffer.from('PROXY UNKNOWN\r\n')],
    ['UNKNOWN with addresses', Buffer.from('PROXY UNKNOWN ::1 ::1 1 2\r\n')],
    ['LOCAL', binary(0, 0, '')],
    ['LOCAL with an address that is not to be used', binary(0, 0x11, 'c6336407cb007105dc042000')],
    ['UNSPEC', binary(1, 0, '')],
    ['UNIX', binary(1, 0x31, '00'.repeat(108))],
  ])(
    '[P-2] [P-3] a vote behind a header without an address (%s) is recorded with the proxy’s own address',
    async (_, header) => {
      const { port, votes } = await listening(REQUIRED);
      const client = await VotifierClient.greeted(port);
      client.write(Buffer.concat([header, voteBlock()]));
      await client.untilClosed();
      expect(votes).toMatchObject([{ address: '127.0.0.1' }]);
    },
  );

  test.each([
    ['a v1 block', voteBlock(), 'proxy-missing'],
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\n\r\n'), 'http'],
    ['a family that does not exist', Buffer.from('PROXY TCP9 1.1.1.1 2.2.2.2 1 2\r\n'), 'proxy-malformed'],
    ['an address with a zone', Buffer.from('PROXY TCP6 fe80::1%a.b ::1 1 2\r\n'), 'proxy-malformed'],
    ['a line without an end', Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`), 'proxy-malformed'],
    ['version 3', Buffer.from('0d0a0d0a000d0a515549540a31110000', 'hex'), 'proxy-malformed'],
    ['an address cut short', binary(1, 0x11, 'c6336407'), 'proxy-malformed'],
    [
      'extensions beyond 2,048 bytes',
      Buffer.from('0d0a0d0a000d0a515549540a2111ffff', 'hex'),
      'proxy-malformed',
    ],
  ])('[P-4] %s is closed without an answer, and the listener keeps running', async (_, bytes, code) => {
    const { port, votes, refusals } = await listening(REQUIRED);
    const client = await VotifierClient.greeted(port);
    client.write(bytes);
    expect(await client.untilClosed()).toBe('');
    expect(refusals).toEqual([`${code} 127.0.0.1`]);
    const next = await VotifierClient.greeted(port);
    next.write(Buffer.concat([LINE, voteBlock()]));
    await next.untilClosed();
    expect(votes).toHaveLength(1);
  });

  test('[P-4] a truncated header is counted as malformed, and a connection without a byte as empty', async () => {
    expect((await conversationOf([LINE.subarray(0, 20)], REQUIRED)).refusals).toEqual([
      'proxy-malformed 127.0.0.1',
    ]);
    expect((await conversationOf([], REQUIRED)).refusals).toEqual(['empty 127.0.0.1']);
  });

  test('a health check that sends a header and closes is counted as empty', async () => {
    expect((await conversationOf([binary(0, 0, '')], REQUIRED)).refusals).toEqual(['empty 127.0.0.1']);
  });

  test('a refusal after the header is counted under the real address', async () => {
    const course = await conversationOf([LINE, Buffer.from('GET / HTTP/1.1\r\n\r\n')], REQUIRED);
    expect(course.refusals).toEqual(['http 198.51.100.7']);
  });

  test('only the first header is believed, because a sender behind the proxy can send a second one', async () => {
    const forged = Buffer.from('PROXY TCP4 192.0.2.99 203.0.113.5 1 2\r\n');
    const { votes, refusals } = await conversationOf([LINE, forged, voteBlock()], REQUIRED);
    expect(votes).toEqual([]);
    expect(refusals).toEqual(['proxy-header 198.51.100.7']);
  });

  test.each([
    ['version 1', LINE],
    ['version 2', BINARY],
  ])('a %s header and a v1 vote give one vote, wherever they are split in two', async (_, header) => {
    const all = Buffer.concat([header, voteBlock()]);
    for (let cut = 0; cut <= all.length; cut++) {
      const { votes, refusals } = await conversationOf(splitAt(all, cut), REQUIRED);
      expect([cut, votes.map(({ address }) => address), refusals]).toEqual([cut, ['198.51.100.7'], []]);
    }
  });

  test('a header and a vote that arrive one byte at a time give one vote', async () => {
    for (const header of [LINE, BINARY]) {
      const { votes } = await conversationOf(oneByOne(Buffer.concat([header, voteBlock()])), REQUIRED);
      expect(votes).toMatchObject([{ address: '198.51.100.7' }]);
    }
  });
});

test('if the PROXY protocol is off, a PROXY header is refused by name and no vote is accepted', async () => {
  const { votes, refusals } = await conversationOf([Buffer.concat([LINE, voteBlock()])]);
  expect(votes).toEqual([]);
  expect(refusals).toEqual(['proxy-header 127.0.0.1']);
});

describe('if trusted proxies are configured', () => {
  test('the header of one of them is trusted', async () => {
    const { port, votes } = await listening({ ...REQUIRED, isTrustedProxy: withinNetworks(['127.0.0.0/8']) });
    const client = await VotifierClient.greeted(port);
    client.write(Buffer.concat([LINE, await client.frame()]));
    expect(await client.untilClosed()).toBe('{"status":"ok"}\r\n');
    expect(votes).toMatchObject([{ address: '198.51.100.7' }]);
  });

  test('the header of any other sender is refused, and counted under the sender’s own address', async () => {
    const { port, votes, refusals } = await listening({
      ...REQUIRED,
      isTrustedProxy: withinNetworks(['10.0.0.0/8', '::1/128']),
    });
    const client = await VotifierClient.greeted(port);
    client.write(Buffer.concat([LINE, await client.frame()]));
    await client.untilClosed();
    expect(votes).toEqual([]);
    expect(refusals).toEqual(['proxy-untrusted 127.0.0.1']);
  });
});
