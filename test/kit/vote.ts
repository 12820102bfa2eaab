/** Votes as a listing sends them, over a socket. */
import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';

/** The default token of a place. */
export const TOKEN = 'test-token-of-thirty-two-characters';

export interface Vote {
  readonly player: string;
  /** The service that reports it; by default `List`. */
  readonly site?: string;
  /** When it was cast, in milliseconds; by default now. */
  readonly at?: number;
  /** What is sent as the time of casting instead. */
  readonly timestamp?: string;
  readonly token?: string;
  /** The address that it is sent from: another one of the loopback. */
  readonly from?: string;
  /** What is sent before it, such as the header of a proxy. */
  readonly before?: string;
  /** By default v2. */
  readonly via?: 'v1' | 'v2';
}

const ADDRESS = '192.0.2.1';

/** Sends it by protocol version 2. @returns `ok`, or the cause of the refusal. It rejects if the listener did not answer. */
export async function sendV2(
  port: number,
  { player, site = 'List', at = Date.now(), timestamp = String(at), token = TOKEN, from, before = '' }: Vote,
): Promise<string> {
  const frame = (greeting: string): Buffer => {
    const challenge = greeting.trim().split(' ')[2] ?? '';
    const vote = { serviceName: site, username: player, address: ADDRESS, timestamp };
    return encodeV2Frame({ ...vote, challenge }, token);
  };
  const [answer] = (await afterGreeting(port, frame, from, before)).split('\n');
  if (answer === undefined || answer === '') throw new Error('the listener did not answer');
  const { status, cause } = JSON.parse(answer) as { status: string; cause?: string };
  return cause ?? status;
}

/** Sends it by protocol version 1, encrypted for the key of a place in this folder. @returns what the listener says after its greeting. */
export async function sendV1(
  port: number,
  { player, site = 'List', at = Date.now(), timestamp = String(at), from }: Vote,
  folder: string,
): Promise<string> {
  const block = v1Block(`VOTE\n${site}\n${player}\n${ADDRESS}\n${timestamp}\n`, folder);
  return sendBlock(port, block, from);
}

/** Encrypts with node:crypto instead of our own encoder. */
export function v1Block(text: string, folder: string): Buffer {
  const der = Buffer.from(readFileSync(join(folder, 'data/keys/public.key'), 'utf8'), 'base64');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  return publicEncrypt({ key, padding: constants.RSA_PKCS1_PADDING }, Buffer.from(text));
}

export const sendBlock = (port: number, block: Buffer, from?: string): Promise<string> =>
  afterGreeting(port, () => block, from);

/** Sends what follows from the greeting. @returns what the listener says after that, when it has closed the connection. */
async function afterGreeting(
  port: number,
  bytes: (greeting: string) => Buffer,
  from?: string,
  before = '',
): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true, localAddress: from });
  if (before !== '') socket.write(before);
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    const isGreeted = text.includes('\n');
    text += piece;
    if (!isGreeted && text.includes('\n')) socket.write(bytes(text));
  });
  await once(socket, 'close');
  return text.slice(text.indexOf('\n') + 1);
}
