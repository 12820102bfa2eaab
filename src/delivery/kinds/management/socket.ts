import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { type ConnectionOptions, checkServerIdentity, type PeerCertificate } from 'node:tls';
import type { WebSocket as Socket } from 'ws';
import { authorizationOf } from '../../../../protocol/management/client.ts';
import { MESSAGE_MAX_BYTES } from '../../../../protocol/management/message.ts';
import type { Clock } from '../../../core/clock.ts';
import { commonJs } from '../../../core/common-js.ts';
import { interruptible } from '../../../core/interruptible.ts';
import type { Secret } from '../../../core/secret-value.ts';
import { isUnresolvable } from '../../../platform/connecting.ts';
import type { ManagementFault } from './faults.ts';

const { WebSocket } = commonJs('ws') as typeof import('ws');

export interface ManagementTarget {
  /** ws: or wss:. */
  readonly url: string;
  readonly secret: Secret;
  /** The path of a certificate that is trusted beside the usual ones; null: none. */
  readonly certificate: string | null;
  /** The time limit of connecting and of each answer. */
  readonly timeoutMs: number;
  readonly clock: Clock;
}

export type Failed = { readonly kind: 'failed'; readonly fault: ManagementFault };
export type OpenedSocket = { readonly kind: 'open'; readonly socket: Socket } | Failed;

const failed = (fault: ManagementFault): Failed => ({ kind: 'failed', fault });

/** What a header can hold. The game server's own secrets have 40 letters and digits. */
const SENDABLE = /^[\x21-\x7e]+$/;
const UNAUTHORIZED = 401;

/** [MP-1] Opens the WebSocket. `signal` ends the attempt. Throws the Problem `secret-missing`. */
export async function openSocket(target: ManagementTarget, signal: AbortSignal): Promise<OpenedSocket> {
  const secret = target.secret.reveal();
  if (!SENDABLE.test(secret)) return failed('management-wrong-secret');
  const trust = await trustOf(target.certificate);
  if (trust === null) return failed('management-certificate');
  const { clock, timeoutMs: limitMs, url } = target;
  const socket = new WebSocket(url, {
    headers: { Authorization: authorizationOf(secret) },
    maxPayload: MESSAGE_MAX_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    ...trust,
  });
  const interrupted = (): OpenedSocket => failed('management-timeout');
  const opened = await interruptible<OpenedSocket>({ clock, limitMs, signal, interrupted }, (end) => {
    socket.once('open', () => end({ kind: 'open', socket }));
    socket.once('unexpected-response', (request, { statusCode }) => {
      request.destroy();
      end(failed(statusCode === UNAUTHORIZED ? 'management-wrong-secret' : 'management-not-spoken'));
    });
    // This listener stays: without it, a later error would crash the process.
    socket.on('error', (error: NodeJS.ErrnoException) => end(failed(faultOf(error, url.startsWith('wss:')))));
  });
  if (opened.kind === 'failed') socket.terminate();
  return opened;
}

/**
 * A game server's certificate is often made for no name in particular, so exactly this one is accepted under any name. If it has issued the
 * game server's certificate, the name has to fit as usual. null: it cannot be read.
 */
async function trustOf(file: string | null): Promise<ConnectionOptions | null> {
  if (file === null) return {};
  try {
    const pem = await readFile(file, 'utf8');
    const { fingerprint256 } = new X509Certificate(pem);
    const isKnown = ({ fingerprint256: shown }: PeerCertificate): boolean => shown === fingerprint256;
    return {
      ca: [pem],
      checkServerIdentity: (host, certificate) =>
        isKnown(certificate) ? undefined : checkServerIdentity(host, certificate),
    };
  } catch {
    return null;
  }
}

const NOT_REACHED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EHOSTDOWN',
  'ETIMEDOUT',
]);

function faultOf({ code = '' }: NodeJS.ErrnoException, isTls: boolean): ManagementFault {
  if (isUnresolvable(code)) return 'management-host-unknown';
  if (NOT_REACHED.has(code)) return 'management-unreachable';
  return isTls ? 'management-tls-failed' : 'management-not-spoken';
}
