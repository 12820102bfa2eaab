import * as z from 'zod';

/** [P-1] The longest version 1 header, with its line end. */
const V1_MAX_BYTES = 107;
/** [P-3] Addresses take at most 216 bytes; extensions after them are skipped up to this limit. */
const V2_MAX_BYTES = 2048;
const V2_SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');
const V2_HEADER_BYTES = 16;
const V1_WORD = Buffer.from('PROXY ');
/** Source and destination of a version 1 line, by its family. */
const V1_FAMILIES = new Map<string, z.ZodType<[string, string]>>([
  ['TCP4', z.tuple([z.ipv4(), z.ipv4()])],
  ['TCP6', z.tuple([z.ipv6(), z.ipv6()])],
]);

export type ProxyHeader =
  | { readonly kind: 'need-more' }
  /** `address` is the real sender's; null if the proxy connects on its own behalf (UNKNOWN, LOCAL, a health check). */
  | { readonly kind: 'header'; readonly address: string | null; readonly bytes: number }
  /** The first bytes are not a PROXY header. */
  | { readonly kind: 'missing' }
  | { readonly kind: 'malformed' };

const NEED_MORE: ProxyHeader = { kind: 'need-more' };
const MALFORMED: ProxyHeader = { kind: 'malformed' };

/** [P-1]…[P-4] Reads the PROXY protocol header, version 1 or 2, at the start of the bytes that a connection has sent. */
export function readProxyHeader(received: Buffer): ProxyHeader {
  if (beginsLike(received, V2_SIGNATURE)) return readV2(received);
  if (beginsLike(received, V1_WORD)) return readV1(received);
  return { kind: 'missing' };
}

const beginsLike = (received: Buffer, expected: Buffer): boolean => {
  const length = Math.min(received.length, expected.length);
  return received.subarray(0, length).equals(expected.subarray(0, length));
};

/** [P-2] `PROXY TCP4 198.51.100.7 203.0.113.5 56324 8192\r\n` */
function readV1(received: Buffer): ProxyHeader {
  const end = received.subarray(0, V1_MAX_BYTES).indexOf('\r\n');
  if (end < 0) return received.length < V1_MAX_BYTES ? NEED_MORE : MALFORMED;
  const [, family, source, destination, ...ports] = received.toString('latin1', 0, end).split(' ');
  const bytes = end + 2;
  if (family === 'UNKNOWN') return { kind: 'header', address: null, bytes };
  const addresses = V1_FAMILIES.get(family ?? '')?.safeParse([source, destination]);
  if (!addresses?.success || ports.length !== 2 || !ports.every(isPort)) return MALFORMED;
  return { kind: 'header', address: addresses.data[0], bytes };
}

const isPort = (text: string): boolean => /^\d{1,5}$/.test(text) && Number(text) <= 65_535;

/** [P-3] Signature, version and command, family, length, addresses, extensions. */
function readV2(received: Buffer): ProxyHeader {
  if (received.length < V2_HEADER_BYTES) return NEED_MORE;
  const bytes = V2_HEADER_BYTES + received.readUInt16BE(14);
  const versionAndCommand = received.readUInt8(12);
  if (versionAndCommand >> 4 !== 2 || (versionAndCommand & 15) > 1 || bytes > V2_MAX_BYTES) return MALFORMED;
  if (received.length < bytes) return NEED_MORE;
  const isLocal = (versionAndCommand & 15) === 0;
  const address = isLocal
    ? null
    : sourceAddress(received.subarray(V2_HEADER_BYTES, bytes), received.readUInt8(13) >> 4);
  return address === undefined ? MALFORMED : { kind: 'header', address, bytes };
}

/** @returns undefined if the address is cut short; null for families without addresses (UNSPEC, UNIX). */
function sourceAddress(addresses: Buffer, family: number): string | null | undefined {
  if (family === 1) return addresses.length < 12 ? undefined : addresses.subarray(0, 4).join('.');
  if (family === 2) return addresses.length < 36 ? undefined : ipv6(addresses.subarray(0, 16));
  return null;
}

const ipv6 = (bytes: Buffer): string =>
  Array.from({ length: 8 }, (_, group) => bytes.readUInt16BE(group * 2).toString(16)).join(':');
