/**
 * Connects to another machine. If that fails, or if a conversation breaks off later, a closed list says why: this is the only place
 * where errors of sockets, of TLS and of the HTTP parser become reasons. What a reason is called where a person sees it is up to the
 * caller.
 */
import { lookup as systemLookup } from 'node:dns';
import { isIP, type LookupFunction, Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Clock } from '../core/clock.ts';
import { type Interruption, interruptible } from '../core/interruptible.ts';

export interface Destination {
  /** A name or an address. */
  readonly host: string;
  readonly port: number;
  /** With TLS, for HTTP/1.1. The certificate has to be valid for the host. */
  readonly isSecure?: boolean;
}

export interface DialOptions {
  readonly clock: Clock;
  /** For all of it: looking up the name, connecting, and TLS. See `timeLimit`. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
  /** By default the system's. With another, only addresses that it allows are connected to. */
  readonly lookup?: LookupFunction | undefined;
}

export type Dialed =
  | { readonly kind: 'open'; readonly socket: Socket }
  /** Nothing but a handshake was sent. */
  | { readonly kind: 'failed'; readonly fault: NetworkFault };

/** How far it came: the last two are for what is asked over a connection (`exchange`). */
export type Phase = 'connecting' | 'securing' | 'waiting' | 'answering';

export interface NetworkFault {
  readonly code:
    | 'refused'
    | 'unresolvable'
    | 'unreachable'
    | 'reset'
    | 'tls'
    | 'not-http'
    /** The lookup does not allow the address. */
    | 'not-allowed'
    /** This machine has no socket left, which says nothing about the other one. */
    | 'no-sockets'
    /** The time limit. */
    | 'timeout'
    /** The signal. */
    | 'stopped';
  readonly phase: Phase;
  /** What the system, TLS or the parser calls the error, or the reason of the lookup; empty for a time limit and the signal. */
  readonly detail: string;
  /** The words of the error. */
  readonly message: string;
}

/** Never rejects, and leaves nothing open if it fails. The socket has a listener for errors, so that none crashes the process. */
export async function dial(
  { host, port, isSecure = false }: Destination,
  { clock, limitMs, signal, lookup }: DialOptions,
): Promise<Dialed> {
  const plain = connectTo(host, port, lookup);
  plain.setNoDelay(true);
  let secure: TLSSocket | null = null;
  const phase = (): Phase => (secure === null ? 'connecting' : 'securing');
  const interrupted = (by: Interruption): Dialed => failed(interruption(by, phase()));
  // Node's own `connect({ signal })` leaves its listener on the signal behind (20.20.2).
  const dialed = await interruptible<Dialed>({ clock, limitMs, signal, interrupted }, (end) => {
    const onError = (error: Error): void => end(failed(networkFault(error, phase())));
    plain.on('error', onError).once('connect', () => {
      if (!isSecure) {
        end({ kind: 'open', socket: plain });
        return;
      }
      // An address must not be sent as a server name (SNI).
      const name = isIP(host) === 0 ? { servername: host } : {};
      const socket = connectTls({ socket: plain, host, ...name, ALPNProtocols: ['http/1.1'] });
      secure = socket.on('error', onError).once('secureConnect', () => end({ kind: 'open', socket }));
    });
  });
  if (dialed.kind === 'failed') plain.destroy();
  return dialed;
}

const failed = (fault: NetworkFault): Dialed => ({ kind: 'failed', fault });

/** Why something that waited for the other machine was given up. */
export const interruption = (by: Interruption, phase: Phase): NetworkFault => ({
  code: by === 'abort' ? 'stopped' : 'timeout',
  ...{ phase, detail: '', message: '' },
});

/** The error of a lookup that does not allow an address; `message` gives the reason. */
export class AddressNotAllowed extends Error {}

/** What an error of a socket, of TLS or of Node's HTTP client means. */
export function networkFault(error: unknown, phase: Phase): NetworkFault {
  const message = error instanceof Error ? error.message : '';
  if (error instanceof AddressNotAllowed) return { code: 'not-allowed', phase, detail: message, message };
  const codes = errorCodes(error);
  // A name with several addresses fails with one error for each address; the most specific one counts.
  const detail = codes.includes('ECONNREFUSED') ? 'ECONNREFUSED' : (codes[0] ?? 'unknown fault');
  return { code: codeOf(detail, phase), phase, detail, message };
}

function codeOf(detail: string, phase: Phase): NetworkFault['code'] {
  if (NO_SOCKETS.has(detail)) return 'no-sockets';
  if (phase === 'connecting') {
    if (detail === 'ECONNREFUSED') return 'refused';
    if (UNRESOLVABLE.has(detail)) return 'unresolvable';
    return detail === 'ECONNRESET' ? 'reset' : 'unreachable';
  }
  if (detail.startsWith('HPE_')) return 'not-http';
  // The operating system's names have no underscore and no digit; `EPROTO` is the one that TLS uses.
  const isOfSystem = /^E[A-Z]+$/.test(detail) && detail !== 'EPROTO';
  return phase === 'securing' && !isOfSystem ? 'tls' : 'reset';
}

const NO_SOCKETS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

const UNRESOLVABLE: ReadonlySet<string> = new Set([
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENODATA',
  'ESERVFAIL',
  'EAI_NODATA',
]);

function errorCodes(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(errorCodes);
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? [code] : [];
}

/** How long to try each address of a host name before the next. Node's 250 ms is too short for distant hosts. */
const ADDRESS_ATTEMPT_MS = 1_500;

/**
 * Connects only to an address that has passed `lookup`, a literal address included: net.connect does not look those up, so they would
 * bypass the check. The connection goes to exactly the address that was checked.
 */
function connectTo(
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
