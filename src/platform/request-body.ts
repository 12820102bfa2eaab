import type { IncomingMessage } from 'node:http';

const BODY_MAX_BYTES = 64 * 1024;
/** A body beyond the limit is read and dropped up to this size, because senders read no reply while they still send. */
const READ_MAX_BYTES = 1024 * 1024;
const FIRST_BUFFER_BYTES = 4 * 1024;

/** A request's body; `gone` if the sender disconnected before its end. */
export type Body = Buffer | 'too-large' | 'gone';

/** Never rejects. */
export const readBody = (request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    // Copied into one buffer: a list of one-byte chunks would take a hundred times as much memory as the body.
    let body: Buffer = Buffer.allocUnsafe(FIRST_BUFFER_BYTES);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      const start = bytes;
      bytes += chunk.length;
      if (bytes <= BODY_MAX_BYTES) {
        body = grown(body, bytes);
        chunk.copy(body, start);
      } else if (bytes > READ_MAX_BYTES) resolve('too-large');
    });
    request.on('end', () => resolve(bytes > BODY_MAX_BYTES ? 'too-large' : body.subarray(0, bytes)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });

function grown(buffer: Buffer, bytes: number): Buffer {
  if (bytes <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * buffer.length, bytes), BODY_MAX_BYTES));
  buffer.copy(larger);
  return larger;
}
