import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';

/** How long to try each address of a host name before the next. Node's 250 ms is too short for distant hosts. */
export const ADDRESS_ATTEMPT_MS = 1_500;

/** The error of a lookup that rejects an address; `message` gives the reason. */
export class AddressNotAllowed extends Error {}

/**
 * Opens a connection, only to an address that has passed `lookup`, a literal address included: net.connect does not look
 * those up, so they would bypass the check. The connection goes to exactly the address that was checked. It may fail later,
 * as a socket does, with an `error` and `close`; `connectFault` says why.
 */
export function connectTo(
  host: string,
  port: number,
  lookup: LookupFunction = systemLookup as LookupFunction,
): Socket {
  const socket = new Socket();
  const open = (): void => {
    try {
      socket.connect({ host, port, lookup, autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS });
    } catch (error) {
      // A host or port that is none.
      socket.destroy(error as Error);
    }
  };
  if (isIP(host) === 0) open();
  else
    lookup(host, { all: true }, (error) => {
      if (error) socket.destroy(error);
      else if (!socket.destroyed) open();
    });
  return socket;
}

interface ConnectFault {
  readonly code:
    | 'address-not-allowed'
    | 'port-refused'
    | 'connection-reset'
    | 'host-unresolvable'
    | 'out-of-sockets'
    | 'connect-timeout'
    | 'unreachable';
  /** The operating system's name of the error, or the reason of the lookup. */
  readonly detail: string;
}

const OUT_OF_SOCKETS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Why a connection failed. */
export function connectFault(error: unknown): ConnectFault {
  if (error instanceof AddressNotAllowed) return { code: 'address-not-allowed', detail: error.message };
  const codes = errorCodes(error);
  const [detail = 'unknown fault'] = codes;
  // A name with several addresses fails with one error for each address; report the most specific one.
  if (codes.includes('ECONNREFUSED')) return { code: 'port-refused', detail: 'ECONNREFUSED' };
  if (detail === 'ECONNRESET') return { code: 'connection-reset', detail };
  if (isUnresolvable(detail)) return { code: 'host-unresolvable', detail };
  if (OUT_OF_SOCKETS.has(detail)) return { code: 'out-of-sockets', detail };
  return { code: detail === 'ETIMEDOUT' ? 'connect-timeout' : 'unreachable', detail };
}

function errorCodes(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(errorCodes);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? [code] : [];
}

const UNRESOLVABLE: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENODATA',
  'ESERVFAIL',
  'EAI_NODATA',
]);

/** Whether a socket's error says that its host name has no address. */
export const isUnresolvable = (code: string | undefined): boolean => UNRESOLVABLE.has(code ?? '');
