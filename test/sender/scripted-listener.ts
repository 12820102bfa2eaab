import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { serve } from '../kit/serve.ts';

export const V2_GREETING = 'VOTIFIER 2 c0ffee\n';

export interface ScriptedListener {
  readonly port: number;
  /** How many connections it has accepted. */
  readonly connections: () => number;
}

/** A server on an ephemeral port that plays `script` with each connection; closed when the test ends. */
export async function scriptedListener(script: (socket: Socket) => void): Promise<ScriptedListener> {
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    connections++;
    script(socket);
  });
  return { port: await serve(server), connections: () => connections };
}

/** Greets, waits for a whole v2 frame, then plays `answer`. */
export const afterFrame = (answer: (socket: Socket, frame: Buffer) => void) => (socket: Socket) => {
  socket.write(V2_GREETING);
  whenReceived(socket, (bytes) => bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt16BE(2), answer);
};

/** Waits for the 256 bytes of a v1 block, then plays `answer`. */
export const afterBlock = (answer: (socket: Socket, block: Buffer) => void) => (socket: Socket) => {
  whenReceived(socket, (bytes) => bytes.length >= 256, answer);
};

function whenReceived(
  socket: Socket,
  isWhole: (bytes: Buffer) => boolean,
  answer: (socket: Socket, bytes: Buffer) => void,
): void {
  let received = Buffer.alloc(0);
  const hear = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (!isWhole(received)) return;
    socket.off('data', hear).resume();
    answer(socket, received);
  };
  socket.on('data', hear);
}

/** A local port on which nothing listens, because it was just released. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A promise with its resolve function, for a test that waits for a step of its script. */
export function awaited<Value>(): { promise: Promise<Value>; resolve: (value: Value) => void } {
  let resolve: (value: Value) => void = () => {};
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
