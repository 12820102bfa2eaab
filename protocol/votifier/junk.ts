import type { RefusalCode } from './refusals.ts';

export type JunkCode = Extract<RefusalCode, 'http' | 'tls' | 'ssh' | 'proxy-header'>;

const SHAPES: readonly (readonly [JunkCode, RegExp])[] = [
  ['http', /^(?:GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PRI) /],
  ['ssh', /^SSH-/],
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a TLS record of type handshake begins 16 03
  ['tls', /^\x16\x03/],
  ['proxy-header', /^(?:PROXY (?:TCP4|TCP6|UNKNOWN)|\r\n\r\n\0\r\nQUIT\n)/],
];

/**
 * Names other protocols that reach an open port, by their first bytes. It only names what was already refused and
 * never decides, because a v1 block may begin with any bytes.
 */
export function nameJunk(received: Buffer): JunkCode | null {
  const start = received.toString('latin1', 0, 16);
  return SHAPES.find(([, shape]) => shape.test(start))?.[0] ?? null;
}
