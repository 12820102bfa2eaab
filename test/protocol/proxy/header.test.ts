import ipaddr from 'ipaddr.js';
import { describe, expect, it } from 'vitest';
import { type ProxyHeader, readProxyHeader } from '../../../protocol/proxy-header.ts';
import { Seeded } from '../../support/seeded.ts';
import { proxyFile, titled } from '../../support/vectors.ts';

/** Normalizes the spelling of the address. */
const normalized = (header: object & { readonly address?: string | null }): unknown =>
  typeof header.address === 'string'
    ? { ...header, address: ipaddr.parse(header.address).toNormalizedString() }
    : header;

/** Reads again after each piece, as a listener does, and returns the first decision. */
function readInPieces(bytes: Buffer, ends: readonly number[]): ProxyHeader {
  for (const end of ends) {
    const header = readProxyHeader(bytes.subarray(0, end));
    if (header.kind !== 'need-more') return header;
  }
  return { kind: 'need-more' };
}

describe('readProxyHeader', () => {
  it.each(titled(proxyFile.vectors))(
    '%s: also split in two anywhere, and one byte at a time',
    (_, { bytes, expected }) => {
      const all = Buffer.from(bytes, 'hex');
      const whole = readProxyHeader(all);
      expect(normalized({ ...whole })).toStrictEqual(normalized(expected));
      const ends = Array.from(all, (_, index) => index + 1);
      expect(readInPieces(all, ends)).toStrictEqual(whole);
      for (const cut of [0, ...ends])
        expect(readInPieces(all, [cut, all.length]), `cut at ${cut}`).toStrictEqual(whole);
    },
  );

  it('[P-1] decides a line by its 107th byte and refuses a binary header by its 16th', () => {
    const line = Buffer.from(`PROXY TCP4 ${'1'.repeat(200)}`);
    expect(readProxyHeader(line.subarray(0, 106))).toStrictEqual({ kind: 'need-more' });
    expect(readProxyHeader(line.subarray(0, 107))).toStrictEqual({ kind: 'malformed' });
    const binary = Buffer.from('0d0a0d0a000d0a515549540a2111ffff', 'hex');
    expect(readProxyHeader(binary.subarray(0, 15))).toStrictEqual({ kind: 'need-more' });
    expect(readProxyHeader(binary)).toStrictEqual({ kind: 'malformed' });
  });

  it('[P-2] reads every random IPv4 and IPv6 source unchanged', () => {
    const random = new Seeded(107);
    const port = () => random.below(65_536);
    const v4 = () => random.bytes(4).join('.');
    const v6 = () => Array.from({ length: 8 }, () => port().toString(16)).join(':');
    for (let i = 0; i < 2000; i++) {
      const [family, address] = random.pick([['TCP4', v4] as const, ['TCP6', v6] as const]);
      const source = address();
      const line = `PROXY ${family} ${source} ${address()} ${port()} ${port()}\r\n`;
      expect(readProxyHeader(Buffer.from(`${line}s:`))).toStrictEqual({
        kind: 'header',
        address: source,
        bytes: line.length,
      });
    }
  });
});
