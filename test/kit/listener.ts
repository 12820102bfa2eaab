import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import forge from 'node-forge';
import { onTestFinished } from 'vitest';
import { testKey } from '../support/vectors.ts';

/** What a fake listener does with each chunk that it receives after its greeting. */
export type ListenerScript = (socket: Socket, chunk: Buffer) => void;

export interface FakeListener {
  readonly port: number;
  /** The bytes that each connection has sent, in the order of the connections. */
  readonly received: readonly Buffer[];
  readonly connections: number;
}

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

/** A vote listener on a free port that keeps what it receives and verifies nothing. */
export async function fakeListener(
  script: ListenerScript = answering(OK),
  greeting: string | null = `VOTIFIER 2 ${CHALLENGE}\n`,
): Promise<FakeListener> {
  const received: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    const index = connections++;
    received[index] = Buffer.alloc(0);
    socket.on('error', () => {});
    if (greeting !== null) socket.write(greeting);
    socket.on('data', (chunk: Buffer) => {
      received[index] = Buffer.concat([received[index] ?? Buffer.alloc(0), chunk]);
      script(socket, chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    received,
    get connections() {
      return connections;
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
