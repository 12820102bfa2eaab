/** Vote listeners on free ports, which do what the test says and verify nothing. */
import { createServer, type Socket } from 'node:net';
import forge from 'node-forge';
import { testKey } from '../support/vectors.ts';
import { serve } from './serve.ts';

/** What a fake listener does with each chunk that it receives after its greeting. */
export type ListenerScript = (socket: Socket, chunk: Buffer) => void;

export const V2_GREETING = 'VOTIFIER 2 c0ffee\n';
export const V1_GREETING = 'VOTIFIER 1.9\n';
export const OK = '{"status":"ok"}\r\n';
export const CHALLENGE = 'c0ffee';

/** Sends the reply when the first bytes arrive, and closes. */
export const answering =
  (reply: string): ListenerScript =>
  (socket) => {
    socket.end(reply);
  };

/** Closes without a reply after a v1 block, as v1 listeners do. */
export const closing: ListenerScript = (socket, chunk) => {
  if (chunk.length >= 256) socket.end();
};

/** Plays `script` with each connection. */
export async function scriptedListener(script: (socket: Socket) => unknown) {
  let connections = 0;
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    connections += 1;
    script(socket);
  });
  return {
    port: await serve(server),
    /** How many connections it has accepted. */
    connections: () => connections,
  };
}

/** Greets, waits for a whole v2 frame, then plays `answer`. */
export const afterFrame = (answer: (socket: Socket, frame: Buffer) => void) => (socket: Socket) => {
  socket.write(V2_GREETING);
  whenReceived(socket, (bytes) => bytes.length >= 4 && bytes.length >= 4 + bytes.readUInt16BE(2), answer);
};

/** Sends this greeting, if there is one, waits for the 256 bytes of a v1 block, then plays `answer`. */
export const afterBlock =
  (answer: (socket: Socket, block: Buffer) => void, greeting = '') =>
  (socket: Socket) => {
    socket.write(greeting);
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

export type FakeListener = Awaited<ReturnType<typeof fakeListener>>;

/** Keeps what it receives. */
export async function fakeListener(
  script: ListenerScript = answering(OK),
  greeting: string | null = V2_GREETING,
) {
  /** The bytes that each connection has sent, in the order of the connections. */
  const received: Buffer[] = [];
  const { port, connections } = await scriptedListener((socket) => {
    const index = received.push(Buffer.alloc(0)) - 1;
    if (greeting !== null) socket.write(greeting);
    socket.on('end', () => socket.end());
    socket.on('data', (chunk: Buffer) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), chunk]);
      script(socket, chunk);
    });
  });
  return {
    port,
    received,
    get connections() {
      return connections();
    },
  };
}

export interface ReceivedFrame {
  readonly magic: number;
  readonly announced: number;
  /** The string that the signature is over. */
  readonly payload: string;
  readonly signature: string;
  readonly vote: Record<string, unknown>;
}

/** A v2 frame, decoded without our own decoder. */
export function readFrame(bytes: Buffer): ReceivedFrame {
  const { payload, signature } = JSON.parse(bytes.toString('utf8', 4)) as ReceivedFrame;
  const [magic, announced] = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
  return { magic, announced, payload, signature, vote: JSON.parse(payload) };
}

/** A v1 block, decrypted with the test key pair by node-forge instead of our own decoder. */
export const readBlock = (block: Buffer): string =>
  forge.util.decodeUtf8(
    forge.pki.privateKeyFromPem(testKey.privateKeyPem).decrypt(block.toString('latin1'), 'RSAES-PKCS1-V1_5'),
  );
