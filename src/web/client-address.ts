import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { plainAddress, withinNetworks } from '../core/address.ts';

/** Who sent a request. */
export interface Client {
  readonly address: string;
  /** Whether it says that it forwards the request for another client. It is no trusted proxy, so anybody can say so. */
  readonly isUnnamedProxy: boolean;
}

/** Finds the client that sent a request. */
export type FindClient = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Client;

/**
 * The peer's address or, if the peer is a trusted proxy, the right-most address in X-Forwarded-For that is not a trusted
 * proxy; the client itself can write anything to the left of that.
 */
export function clientBehind(trustedProxies: readonly string[]): FindClient {
  const isTrusted = withinNetworks(trustedProxies);
  return ({ headers, socket }) => {
    let client = plainAddress(socket.remoteAddress ?? '');
    for (const hop of hopsOf(headers['x-forwarded-for']).toReversed()) {
      if (!isTrusted(client)) return { address: client, isUnnamedProxy: true };
      const address = addressOf(hop);
      // The proxy did not know the client's address ("unknown"), so the proxy's own address is used.
      if (address === null) break;
      client = address;
    }
    return { address: client, isUnnamedProxy: false };
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
