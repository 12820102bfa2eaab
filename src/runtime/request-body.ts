import type { IncomingMessage } from 'node:http';

const BODY_MAX_BYTES = 64 * 1024;
/** A body beyond the limit is dropped as it comes, and heard out this far: who still sends reads no answer. */
const HEARD_OUT_MAX_BYTES = 1024 * 1024;
const FIRST_ROOM_BYTES = 4 * 1024;

/** A request's body; `gone` where the sender hung up in the middle of it. */
export type Body = Buffer | 'too-large' | 'gone';

/** Never rejects. */
export const readBody = (request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    // Copied into one buffer: a list of pieces of one byte each takes a hundred times the room of what was sent.
    let room: Buffer = Buffer.allocUnsafe(FIRST_ROOM_BYTES);
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      const start = bytes;
      bytes += chunk.length;
      if (bytes <= BODY_MAX_BYTES) {
        room = withRoom(room, bytes);
        chunk.copy(room, start);
      } else if (bytes > HEARD_OUT_MAX_BYTES) resolve('too-large');
    });
    request.on('end', () => resolve(bytes > BODY_MAX_BYTES ? 'too-large' : room.subarray(0, bytes)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });

function withRoom(buffer: Buffer, bytes: number): Buffer {
  if (bytes <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafe(Math.min(Math.max(2 * buffer.length, bytes), BODY_MAX_BYTES));
  buffer.copy(larger);
  return larger;
}
