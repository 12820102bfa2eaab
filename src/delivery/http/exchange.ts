import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpUnknownReason } from './codes.ts';
import type { HttpTarget } from './reach.ts';

export interface HttpCommand {
  readonly headers: Readonly<Record<string, string>>;
  /** These bytes, as they are: the signature is over them. */
  readonly body: Buffer;
}

/** What came of a request that was written. */
export type Exchanged =
  /** `text`: the beginning of what came with the status. */
  | { readonly kind: 'answered'; readonly status: number; readonly text: string }
  /** It may have run. */
  | { readonly kind: 'unknown'; readonly reason: HttpUnknownReason };

const REPLY_KEPT_BYTES = 1024;

/**
 * Posts one command on a connection of its own, and closes it. A connection that is kept alive ends some day just as
 * the next command is written to it, and that command would be held for nothing. Never rejects.
 */
export function exchange(
  socket: Socket,
  { url, commandTimeoutMs, clock }: HttpTarget,
  { headers, body }: HttpCommand,
  signal: AbortSignal,
): Promise<Exchanged> {
  return new Promise((resolve) => {
    const end = (exchanged: Exchanged): void => {
      cancelLimit();
      signal.removeEventListener('abort', shutDown);
      socket.destroy();
      resolve(exchanged);
    };
    const fail = (reason: HttpUnknownReason): void => end({ kind: 'unknown', reason });
    const shutDown = (): void => fail('shut-down');
    const cancelLimit = clock.after(commandTimeoutMs, () => fail('timeout'));
    signal.addEventListener('abort', shutDown);
    const posting = request({
      createConnection: () => socket,
      method: 'POST',
      path: url.pathname + url.search,
      headers: { Host: url.host, Connection: 'close', 'Content-Length': body.length, ...headers },
    });
    posting.on('error', (error) => fail(faultOf(error)));
    posting.on('upgrade', () => fail('http-bad-reply')); // nobody asked for another protocol
    posting.on('response', (response) => void answerOf(response).then(end));
    // From this line on the command may run, whatever happens.
    posting.end(body);
  });
}

/** The whole answer is waited for: one that breaks off is none. */
function answerOf(response: IncomingMessage): Promise<Exchanged> {
  return new Promise((resolve) => {
    let kept = Buffer.alloc(0);
    response.on('data', (chunk: Buffer) => {
      if (kept.length < REPLY_KEPT_BYTES) kept = Buffer.concat([kept, chunk]).subarray(0, REPLY_KEPT_BYTES);
    });
    response.on('end', () => {
      // `stream`: a character that the limit has cut through is left out.
      const text = new TextDecoder().decode(kept, { stream: true });
      resolve({ kind: 'answered', status: response.statusCode ?? 0, text });
    });
    response.on('error', (error) => resolve({ kind: 'unknown', reason: faultOf(error) }));
  });
}

const faultOf = ({ code }: NodeJS.ErrnoException): HttpUnknownReason =>
  code?.startsWith('HPE_') === true ? 'http-bad-reply' : 'closed';
