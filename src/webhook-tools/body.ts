import type { IncomingMessage } from 'node:http';

export const BODY_MAX_BYTES = 64 * 1024;
/** A body beyond the limit is dropped as it comes, and heard out this far: who still sends reads no answer. */
const HEARD_OUT_MAX_BYTES = 1024 * 1024;

/** A request's body; `gone` where the sender hung up in the middle of it. */
export type Body = Buffer | 'too-large' | 'gone';

/** Never rejects. */
export const readBody = (request: IncomingMessage): Promise<Body> =>
  new Promise((resolve) => {
    const kept: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= BODY_MAX_BYTES) kept.push(chunk);
      else kept.length = 0;
      if (bytes > HEARD_OUT_MAX_BYTES) resolve('too-large');
    });
    request.on('end', () => resolve(bytes > BODY_MAX_BYTES ? 'too-large' : Buffer.concat(kept)));
    request.on('error', () => resolve('gone'));
    request.on('close', () => resolve('gone'));
  });
