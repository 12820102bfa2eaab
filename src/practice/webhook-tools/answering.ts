import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { readBody } from '../../platform/request-body.ts';
import type { OtherRequest, SignatureState } from './received.ts';
import { refusalSentence } from './sentence.ts';

/** Statuses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const NOT_A_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export function reply(
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: OutgoingHttpHeaders = {},
): void {
  if (BODILESS.has(status)) response.writeHead(status, headers).end();
  else response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...headers }).end(sentence);
}

/**
 * Sends an answer after a wait.
 *
 * @param onEnd called with the time since now in whole milliseconds when it is sent, or when the sender has hung up.
 */
export function sendAfter(
  response: ServerResponse,
  { clock, delayMs }: { readonly clock: Clock; readonly delayMs: number },
  send: () => void,
  onEnd: (isAnswered: boolean, afterMs: number) => void,
): void {
  const startedAt = clock.monotonic();
  const cancelDelay = delayMs === 0 ? null : clock.after(delayMs, send);
  response.once('close', () => {
    cancelDelay?.();
    onEnd(response.writableFinished, Math.round(clock.monotonic() - startedAt));
  });
  if (cancelDelay === null) send();
}

type Common = Exclude<OtherRequest['reason'], 'not-a-vote'>;
/** A request that was refused. */
type Refused<Other> = Omit<OtherRequest, 'kind' | 'reason'> & { readonly reason: Common | Other };

/** Refuses requests that a receiver does not understand, in the same words for every receiver. */
export class Refusals<Other extends 'not-a-vote' | 'not-a-command'> {
  constructor(
    private readonly clock: Pick<Clock, 'now'>,
    private readonly onRefused: (refused: Refused<Other>) => void,
  ) {}

  /** The body of a POST; null if there is none: the sender has hung up, or the request was refused. */
  async bodyOf(request: IncomingMessage, response: ServerResponse): Promise<Buffer | null> {
    if (request.method !== 'POST') {
      this.refuse(response, 'not-post', 'not-checked', 405, { Allow: 'POST' });
      return null;
    }
    const body = await readBody(request);
    if (body === 'too-large') this.refuse(response, body, 'not-checked', 413, { Connection: 'close' });
    return body === 'too-large' || body === 'gone' ? null : body;
  }

  refuse(
    response: ServerResponse,
    reason: Common | Other,
    signature: SignatureState,
    answered: number,
    headers: OutgoingHttpHeaders = {},
  ): void {
    reply(response, answered, `refused: ${refusalSentence(reason)}`, headers);
    this.onRefused({ receivedAt: this.clock.now(), reason, signature, answered });
  }

  /** For bytes that are not HTTP, such as TLS, and for connections that are reset or too slow. */
  refuseBytes({ code }: NodeJS.ErrnoException, socket: Duplex): void {
    if (code?.startsWith('HPE_') !== true || !socket.writable) {
      socket.destroy();
      return;
    }
    socket.end(NOT_A_REQUEST, () => socket.destroy());
    this.onRefused({
      receivedAt: this.clock.now(),
      reason: 'not-http',
      signature: 'not-checked',
      answered: 400,
    });
  }
}
