import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../../../core/clock.ts';
import { type Interruption, interruptible } from '../../../core/interruptible.ts';
import { ADDRESS_ATTEMPT_MS, isUnresolvable } from '../../../platform/connecting.ts';
import type { HttpNotSentReason } from './codes.ts';

export interface HttpTarget {
  readonly url: URL;
  /** The time limit of each step: connecting (name, connection and TLS), and receiving the whole answer. */
  readonly commandTimeoutMs: number;
  readonly clock: Clock;
}

export type Reached =
  | { readonly kind: 'open'; readonly socket: Socket }
  /** Nothing but a handshake was sent. */
  | { readonly kind: 'failed'; readonly reason: HttpNotSentReason };

/**
 * Opens a connection for a request, with TLS if the URL says so. This is apart from the request: a command was
 * certainly not sent if this fails, and may have been sent if something fails later.
 */
export async function reach(target: HttpTarget, signal: AbortSignal): Promise<Reached> {
  const { url, commandTimeoutMs: limitMs, clock } = target;
  const isSecure = url.protocol === 'https:';
  const socket = isSecure ? openTls(url) : open(url);
  let isConnected = false;
  const interrupted = (by: Interruption): Reached =>
    failed(by === 'abort' ? 'shut-down' : reasonOf('ETIMEDOUT', isConnected));
  const reached = await interruptible<Reached>({ clock, limitMs, signal, interrupted }, (end) => {
    socket.once('connect', () => {
      isConnected = true;
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => end({ kind: 'open', socket }));
    // This listener stays: without it, an error before the request has the socket would crash the process.
    socket.on('error', ({ code }: NodeJS.ErrnoException) => end(failed(reasonOf(code, isConnected))));
  });
  if (reached.kind === 'failed') socket.destroy();
  return reached;
}

const failed = (reason: HttpNotSentReason): Reached => ({ kind: 'failed', reason });

const open = (url: URL): Socket => connect({ ...placeOf(url, 80), noDelay: true });

/** The certificate must match the host of the URL. An IP address is never sent as a server name (SNI). */
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
