/** Another Votifier listener, to which votes are forwarded. */
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { decryptV1Block, publicKeyText } from '../../protocol/votifier/v1.ts';
import { freePort } from './serve.ts';

/** What it does with connections. The first six get no whole vote. */
export type Mood =
  | 'down'
  | 'silent'
  | 'closes at once'
  | 'resets at once'
  | 'closes after its greeting'
  | 'resets after its greeting'
  | 'closes in the middle of the vote'
  | 'answers with an error'
  | 'resets after the vote'
  | 'is silent after the vote'
  | 'closes in the middle of its answer'
  | 'well';

const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const TOKEN = 'the-token-of-the-other-listener';

/** A listener that confirms each vote and keeps the name of its player. @param settings of its entry. */
export async function votifierGame(protocol: 'v1' | 'v2' = 'v2', settings: object = {}) {
  const ran: string[] = [];
  /** The players of votes that it received in whole and did not confirm. */
  const unconfirmed: string[] = [];
  const sockets = new Set<Socket>();
  const port = await freePort();
  let server: Server | null = null;
  let mood: Mood = 'well';

  const isWhole = (received: Buffer): boolean =>
    protocol === 'v1'
      ? received.length >= 256
      : received.length >= 4 && received.length >= 4 + received.readUInt16BE(2);
  const playerOf = (received: Buffer): string =>
    protocol === 'v1'
      ? (decryptV1Block(keys.privateKey, received).split('\n')[2] ?? '')
      : (JSON.parse(JSON.parse(received.toString('utf8', 4)).payload) as { username: string }).username;
  const answer = (socket: Socket, player: string): void => {
    if (mood === 'well') {
      ran.push(player);
      socket.end(protocol === 'v2' ? '{"status":"ok"}\r\n' : '');
    } else if (mood === 'answers with an error') {
      socket.end('{"status":"error","cause":"Busy","error":"The database is gone"}\r\n');
    } else {
      unconfirmed.push(player);
      if (mood === 'closes in the middle of its answer') socket.end('{"status":');
      if (mood === 'resets after the vote') socket.resetAndDestroy();
    }
  };
  const accept = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    if (mood === 'silent') return;
    if (mood === 'closes at once') return void socket.end();
    if (mood === 'resets at once') return void socket.resetAndDestroy();
    const greeting = protocol === 'v2' ? 'VOTIFIER 2 c0ffee\n' : 'VOTIFIER 1.9\n';
    if (mood === 'closes after its greeting') return void socket.end(greeting);
    socket.write(greeting, () => {
      if (mood === 'resets after its greeting') socket.resetAndDestroy();
    });
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      if (mood === 'closes in the middle of the vote') socket.destroy();
      else if (isWhole(received)) answer(socket, playerOf(received));
    });
  };
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy();
    if (server !== null) await once(server.close(), 'close');
    server = null;
  };
  /** Behaves like this from now on. */
  const be = async (next: Mood): Promise<void> => {
    mood = next;
    if (next === 'down') return stop();
    if (server !== null) return;
    server = createServer({ allowHalfOpen: true, noDelay: true }, accept).listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  onTestFinished(stop);
  await be('well');
  const secret = protocol === 'v2' ? { token: TOKEN } : { publicKey: publicKeyText(keys.publicKey) };
  const where = { kind: 'votifier', host: '127.0.0.1', port, protocol };
  const entry: object = { ...where, ...secret, ...settings };
  return { entry, ran, unconfirmed, be };
}
