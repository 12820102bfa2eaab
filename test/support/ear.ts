import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import forge from 'node-forge';
import { onTestFinished } from 'vitest';
import { testKey } from './vectors.ts';

/** What an ear does once its greeting is out. */
export type EarScript = (socket: Socket, chunk: Buffer) => void;

export interface Ear {
  readonly port: number;
  /** What each connection has sent, in the order in which they came. */
  readonly heard: readonly Buffer[];
  readonly connections: number;
}

export const OK = '{"status":"ok"}\r\n';
export const CHALLENGE = 'c0ffee';

/** Greets, and answers the first bytes with a text. */
export const answering =
  (text: string): EarScript =>
  (socket) => {
    socket.end(text);
  };

/** Takes the bytes and closes without a word, as version 1 does. */
export const closing: EarScript = (socket, chunk) => {
  if (chunk.length >= 256) socket.end();
};

/** A vote listener of nobody's making, on a free port: it keeps bytes, and verifies nothing by itself. */
export async function ear(
  script: EarScript = answering(OK),
  greeting: string | null = `VOTIFIER 2 ${CHALLENGE}\n`,
): Promise<Ear> {
  const heard: Buffer[] = [];
  let connections = 0;
  const server = createServer((socket) => {
    const index = connections++;
    heard[index] = Buffer.alloc(0);
    socket.on('error', () => {});
    if (greeting !== null) socket.write(greeting);
    socket.on('data', (chunk: Buffer) => {
      heard[index] = Buffer.concat([heard[index] ?? Buffer.alloc(0), chunk]);
      script(socket, chunk);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    heard,
    get connections() {
      return connections;
    },
  };
}

export interface HeardFrame {
  readonly magic: number;
  readonly announced: number;
  /** As it was signed. */
  readonly payload: string;
  readonly signature: string;
  readonly vote: Record<string, unknown>;
}

/** A version 2 frame, taken apart by hand. */
export function readFrame(bytes: Buffer): HeardFrame {
  const { payload, signature } = JSON.parse(bytes.toString('utf8', 4)) as HeardFrame;
  const [magic, announced] = [bytes.readUInt16BE(0), bytes.readUInt16BE(2)];
  return { magic, announced, payload, signature, vote: JSON.parse(payload) };
}

/** A version 1 block, decrypted with the test pair by node-forge and not by our own decoder. */
export const readBlock = (block: Buffer): string =>
  forge.util.decodeUtf8(
    forge.pki.privateKeyFromPem(testKey.privateKeyPem).decrypt(block.toString('latin1'), 'RSAES-PKCS1-V1_5'),
  );
