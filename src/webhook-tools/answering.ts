import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Clock } from '../core/clock.ts';
import { readBody } from '../runtime/request-body.ts';

/** Statuses without a body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304]);
const NOT_A_REQUEST = 'HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

/** The body of a POST; null if there is none: the sender has hung up, or `refuse` was called. */
export async function postedBody(
  request: IncomingMessage,
  refuse: (reason: 'not-post' | 'too-large', status: number, headers: OutgoingHttpHeaders) => void,
): Promise<Buffer | null> {
  if (request.method !== 'POST') {
    refuse('not-post', 405, { Allow: 'POST' });
    return null;
  }
  const body = await readBody(request);
  if (body === 'too-large') refuse('too-large', 413, { Connection: 'close' });
  return body === 'too-large' || body === 'gone' ? null : body;
}

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

/**
 * For bytes that are not HTTP, such as TLS, and for connections that are reset or too slow.
 *
 * @returns whether they were answered, with 400.
 */
export function refuseBytes({ code }: NodeJS.ErrnoException, socket: Duplex): boolean {
  if (code?.startsWith('HPE_') !== true || !socket.writable) {
    socket.destroy();
    return false;
  }
  socket.end(NOT_A_REQUEST, () => socket.destroy());
  return true;
}
