import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { ADDRESS_ATTEMPT_MS, isUnresolvable } from '../platform/connecting.ts';
import type { Ending } from './result.ts';

/** Opens a connection; it may fail later, as a socket does, with an `error` and `close`. */
export type Connect = (host: string, port: number) => Socket;

/** The error of a lookup that rejects an address; `message` gives the reason. */
export class AddressNotAllowed extends Error {}

/**
 * Opens connections only to addresses that have passed `lookup`, literal addresses included: net.connect does not look
 * those up, so they would bypass the check. The connection goes to exactly the address that was checked.
 */
export const connectWith =
  (lookup: LookupFunction): Connect =>
  (host, port) => {
    const socket = new Socket();
    const open = () =>
      socket.connect({ host, port, lookup, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS });
    if (isIP(host) === 0) return open();
    lookup(host, { all: true }, (error) => {
      if (error) socket.destroy(error);
      else if (!socket.destroyed) open();
    });
    return socket;
  };

export const connectAnywhere: Connect = connectWith(systemLookup as LookupFunction);

const OUT_OF_SOCKETS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Why the connection failed. */
export function connectEnding(error: unknown): Ending {
  if (error instanceof AddressNotAllowed) return { code: 'address-not-allowed', detail: error.message };
  const codes = errorCodes(error);
  const [code = 'unknown fault'] = codes;
  // A name with several addresses fails with one error for each address; report the most specific one.
  if (codes.includes('ECONNREFUSED')) return { code: 'port-refused', detail: 'ECONNREFUSED' };
  if (code === 'ECONNRESET') return { code: 'connection-reset', detail: code };
  if (isUnresolvable(code)) return { code: 'host-unresolvable', detail: code };
  if (OUT_OF_SOCKETS.has(code)) return { code: 'out-of-sockets', detail: code };
  return { code: code === 'ETIMEDOUT' ? 'connect-timeout' : 'unreachable', detail: code };
}

function errorCodes(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(errorCodes);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? [code] : [];
}
