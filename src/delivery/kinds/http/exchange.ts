import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { SIGNATURE_HEADER } from '../../../../protocol/webhook.ts';
import { type Interruption, interruptible } from '../../../core/interruptible.ts';
import type { HttpUnknownReason } from './codes.ts';
import type { HttpTarget } from './reach.ts';

export interface HttpCommand {
  /** `POST` by default. */
  readonly method?: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** Exactly the bytes that are signed. */
  readonly body: Buffer;
}

/** How a request that was sent ended. */
export type Exchanged =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The first KiB of the body. */
      readonly text: string;
      /** The first 256 KiB: a list of some thousand players. */
      readonly body: Buffer;
      /** The header; absent if there is none. */
      readonly signature: string | undefined;
    }
  /** It may have run. */
  | { readonly kind: 'unknown'; readonly reason: HttpUnknownReason };

const TEXT_BYTES = 1024;
const BODY_KEPT_BYTES = 256 * 1024;

/**
 * Posts one command on a new connection, and closes it. A kept-alive connection may be closed by the server just as the
 * next command is sent on it, and that command would then be held for no good reason. Never rejects.
 */
export async function exchange(
  socket: Socket,
  { url, commandTimeoutMs: limitMs, clock }: HttpTarget,
  { method = 'POST', headers, body }: HttpCommand,
  signal: AbortSignal,
): Promise<Exchanged> {
  const interrupted = (by: Interruption): Exchanged => unknown(by === 'abort' ? 'shut-down' : 'timeout');
  const exchanged = await interruptible<Exchanged>({ clock, limitMs, signal, interrupted }, (end) => {
    const posting = request({
      createConnection: () => socket,
      method,
      path: url.pathname + url.search,
      headers: { Host: url.host, Connection: 'close', 'Content-Length': body.length, ...headers },
    });
    posting.on('error', (error) => end(unknown(faultOf(error))));
    posting.on('upgrade', () => end(unknown('http-bad-reply'))); // another protocol was not requested
    posting.on('response', (response) => void answerOf(response).then(end));
    // From this line on the command may run.
    posting.end(body);
  });
  socket.destroy();
  return exchanged;
}

const unknown = (reason: HttpUnknownReason): Exchanged => ({ kind: 'unknown', reason });

/** Waits for the whole answer: an incomplete one does not count. */
function answerOf(response: IncomingMessage): Promise<Exchanged> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      if (bytes < BODY_KEPT_BYTES) chunks.push(chunk.subarray(0, BODY_KEPT_BYTES - bytes));
      bytes += chunk.length;
    });
    response.on('end', () => {
      const body = Buffer.concat(chunks);
      // `stream` leaves out a character that was split.
      const text = new TextDecoder().decode(body.subarray(0, TEXT_BYTES), { stream: true });
      resolve({
        kind: 'answered',
        status: response.statusCode ?? 0,
        text,
        body,
        signature: signatureOf(response),
      });
    });
    response.on('error', (error) => resolve(unknown(faultOf(error))));
  });
}

function signatureOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[SIGNATURE_HEADER.toLowerCase()];
  return typeof value === 'string' ? value : undefined;
}

const faultOf = ({ code }: NodeJS.ErrnoException): HttpUnknownReason =>
  code?.startsWith('HPE_') === true ? 'http-bad-reply' : 'closed';
