import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../core/clock.ts';
import { ADDRESS_ATTEMPT_MS, isUnresolvable } from '../../runtime/connecting.ts';
import type { HttpNotSentReason } from './codes.ts';

export interface HttpTarget {
  readonly url: URL;
  /** For each step: reaching it (name, connection and TLS), and then the whole answer. */
  readonly commandTimeoutMs: number;
  readonly clock: Clock;
}

export type Reached =
  | { readonly kind: 'open'; readonly socket: Socket }
  /** Nothing but a handshake was written. */
  | { readonly kind: 'failed'; readonly reason: HttpNotSentReason };

/**
 * A connection on which a request may be written, with TLS where the URL says so. It is opened apart from the request:
 * so whatever fails here was certainly never sent, and whatever fails later may have been.
 */
export function reach({ url, commandTimeoutMs, clock }: HttpTarget, signal: AbortSignal): Promise<Reached> {
  return new Promise((resolve) => {
    const isSecure = url.protocol === 'https:';
    const socket = isSecure ? openTls(url) : open(url);
    let isConnected = false;
    const end = (reached: Reached): void => {
      cancelLimit();
      signal.removeEventListener('abort', shutDown);
      if (reached.kind === 'failed') socket.destroy();
      resolve(reached);
    };
    const fail = (reason: HttpNotSentReason): void => end({ kind: 'failed', reason });
    const shutDown = (): void => fail('shut-down');
    const cancelLimit = clock.after(commandTimeoutMs, () => fail(reasonOf('ETIMEDOUT', isConnected)));
    signal.addEventListener('abort', shutDown);
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => end({ kind: 'open', socket }));
    // It stays: an error that comes before the request has the socket would end the process.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => fail(reasonOf(code, isConnected)));
    if (signal.aborted) shutDown();
  });
}

const open = (url: URL): Socket => connect({ ...placeOf(url, 80), noDelay: true });

/** A certificate is compared with the host of the URL; an address is never a server name. */
function openTls(url: URL): Socket {
  const place = placeOf(url, 443);
  const socket = connectTls({
    ...place,
    ...(isIP(place.host) === 0 ? { servername: place.host } : {}),
    ALPNProtocols: ['http/1.1'],
  });
  return socket.setNoDelay(true);
}

const placeOf = ({ hostname, port }: URL, usualPort: number) => ({
  host: hostname.replace(/^\[(.*)\]$/, '$1'),
  port: port === '' ? usualPort : Number(port),
  autoSelectFamilyAttemptTimeout: ADDRESS_ATTEMPT_MS,
});

function reasonOf(code: string | undefined, isConnected: boolean): HttpNotSentReason {
  if (isConnected) return 'http-tls-failed';
  return isUnresolvable(code) ? 'http-host-unknown' : 'http-unreachable';
}
