/** Votes as a listing sends them, over a socket. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';

/** The default token of a place. */
export const TOKEN = 'test-token-of-thirty-two-characters';

export interface Vote {
  readonly player: string;
  /** The service that reports it; by default `List`. */
  readonly site?: string;
  /** When it was cast, in milliseconds; by default now. */
  readonly at?: number;
}

/** Sends it by protocol version 2. @returns `ok`, or the cause of the refusal. It rejects if the listener did not answer. */
export async function sendV2(
  port: number,
  { player, site = 'List', at = Date.now() }: Vote,
): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let text = '';
  socket.setEncoding('utf8').on('data', (piece: string) => {
    if (!text.includes('\n') && piece.includes('\n')) {
      const challenge = (text + piece).trim().split(' ')[2] ?? '';
      const vote = { serviceName: site, username: player, address: '192.0.2.1', timestamp: String(at) };
      socket.write(encodeV2Frame({ ...vote, challenge }, TOKEN));
    }
    text += piece;
  });
  await once(socket, 'close');
  const [, answer] = text.split('\n');
  if (answer === undefined || answer === '') throw new Error('the listener did not answer');
  const { status, cause } = JSON.parse(answer) as { status: string; cause?: string };
  return cause ?? status;
}
