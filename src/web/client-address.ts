import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { plainAddress, withinNetworks } from '../core/address.ts';

/** Finds the address of the client that sent a request. */
export type ClientAddress = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/**
 * The peer's address or, if the peer is a trusted proxy, the right-most address in X-Forwarded-For that is not a trusted
 * proxy; the client itself can write anything to the left of that.
 */
export function clientAddressBehind(trustedProxies: readonly string[]): ClientAddress {
  const isTrusted = withinNetworks(trustedProxies);
  return ({ headers, socket }) => {
    let client = plainAddress(socket.remoteAddress ?? '');
    for (const hop of hopsOf(headers['x-forwarded-for']).toReversed()) {
      if (!isTrusted(client)) return client;
      const address = addressOf(hop);
      // The proxy did not know the client's address ("unknown"), so the proxy's own address is used.
      if (address === null) return client;
      client = address;
    }
    return client;
  };
}

/** Several headers with this name form one list. */
const hopsOf = (header: string | string[] | undefined): string[] =>
  header === undefined ? [] : [header].flat().join(',').split(',');

/** Some proxies add the port, and brackets around IPv6. */
const WITH_PORT = /^(?:\[([^\]]*)\](?::\d{1,5})?|(\d+\.\d+\.\d+\.\d+):\d{1,5})$/;

function addressOf(hop: string): string | null {
  const written = hop.trim();
  const [, bracketed, dotted] = WITH_PORT.exec(written) ?? [];
  const address = bracketed ?? dotted ?? written;
  return isIP(address) === 0 ? null : plainAddress(address);
}
