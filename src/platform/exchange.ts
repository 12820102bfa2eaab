/**
 * One HTTP request and its answer, over a connection of its own, which is closed with the answer. Redirects are not followed. The result
 * says whether the request can have arrived: that decides whether it may be sent again.
 *
 * A connection that is kept for the next request would skip the check of its address, and might be closed by the other machine just as
 * that request is sent. Uses Node's client, because `fetch` takes a `100 Continue` before the answer for an error (clients must skip
 * every 1xx, RFC 9110 §15.2).
 */
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { type Interruption, interruptible } from '../core/interruptible.ts';
import {
  type Destination,
  type DialOptions,
  dial,
  interruption,
  type NetworkFault,
  networkFault,
  type Phase,
} from './dial.ts';

export interface HttpRequest {
  /** http: or https: */
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Sent unchanged, because a signature may cover these bytes. */
  readonly body?: Uint8Array;
}

/** `limitMs` is for the whole exchange, up to the end of the answer. */
interface ExchangeOptions extends DialOptions {
  /** With it, `limitMs` is for connecting alone, and the answer has so long from when the request was sent. */
  readonly answerMs?: number;
  /** So much of the body is kept. */
  readonly keepBytes: number;
  /** From here on, the rest of the body is not waited for. By default all of it is, and none of an answer counts that breaks off. */
  readonly readBytes?: number;
  /** Whether the body of an answer with this status is read at all. */
  readonly readsBodyOf?: (status: number) => boolean;
}

type Exchanged = Answered | Unanswered;

/** `status` is never 1xx, except 101 for a change to another protocol, which nobody asked for. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Its beginning, of `keepBytes` at most. */
  readonly body: Buffer;
  /** How much of it came. */
  readonly bytes: number;
}

interface Unanswered {
  /** `not-sent`: no byte of the request has left. `lost`: it may have arrived. */
  readonly kind: 'not-sent' | 'lost';
  readonly fault: NetworkFault;
}

/** Never rejects, and leaves no open connection. */
export async function exchange(request: HttpRequest, options: ExchangeOptions): Promise<Exchanged> {
  const { clock, limitMs, signal, answerMs } = options;
  const [startedAt, stalled] = [clock.monotonic(), clock.stalled()];
  const dialed = await dial(destinationOf(request.url), options);
  if (dialed.kind === 'failed') return { kind: 'not-sent', fault: dialed.fault };
  const { socket } = dialed;
  if (signal?.aborted) {
    socket.destroy();
    return { kind: 'not-sent', fault: interruption('abort', 'connecting') };
  }
  const usedMs = clock.monotonic() - startedAt - (clock.stalled() - stalled);
  const leftMs = answerMs ?? Math.max(0, limitMs - usedMs);

  let phase: Phase = 'waiting';
  const interrupted = (by: Interruption): Exchanged => ({ kind: 'lost', fault: interruption(by, phase) });
  const exchanged = await interruptible<Exchanged>({ clock, limitMs: leftMs, signal, interrupted }, (end) => {
    const lost = (error: Error): void => end({ kind: 'lost', fault: networkFault(error, phase) });
    const { url, method, headers, body } = request;
    const sent = httpRequest({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: {
        Host: url.host,
        Connection: 'close',
        ...(body === undefined ? {} : { 'Content-Length': body.byteLength }),
        ...headers,
      },
    });
    sent.on('error', lost);
    sent.on('upgrade', (response) => end(answered(response, [], 0)));
    sent.on('response', (response) => {
      phase = 'answering';
      readAnswer(response.on('error', lost), options, end);
    });
    // From this line on the request may arrive.
    sent.end(body);
  });
  socket.destroy();
  return exchanged;
}

/** Where a URL leads to. */
export function destinationOf({ protocol, hostname, port }: URL): Destination {
  const isSecure = protocol === 'https:';
  const usual = isSecure ? 443 : 80;
  return { host: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port), isSecure };
}

function readAnswer(
  response: IncomingMessage,
  { keepBytes, readBytes = Number.POSITIVE_INFINITY, readsBodyOf = () => true }: ExchangeOptions,
  end: (answer: Answered) => void,
): void {
  const kept: Buffer[] = [];
  let bytes = 0;
  const ended = (): void => end(answered(response, kept, bytes));
  if (!readsBodyOf(response.statusCode ?? 0)) {
    ended();
    return;
  }
  response.on('end', ended).on('data', (chunk: Buffer) => {
    if (bytes < keepBytes) kept.push(chunk.subarray(0, keepBytes - bytes));
    bytes += chunk.length;
    if (bytes >= readBytes) ended();
  });
}

const answered = (
  { statusCode: status = 0, headers }: IncomingMessage,
  kept: readonly Buffer[],
  bytes: number,
): Answered => ({ kind: 'answered', status, headers, body: Buffer.concat(kept), bytes });
