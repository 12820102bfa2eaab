import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { encodeV2Frame } from '../../protocol/votifier/v2.ts';
import type { WireVote } from '../../protocol/votifier/wire.ts';
import { TOKEN } from '../kit/vote.ts';

export const WIRE_VOTE: WireVote = {
  serviceName: 'List',
  username: 'Steve',
  address: '192.0.2.1',
  timestamp: '1780315200123',
};

/** A client socket that does what the test says and keeps what it receives. */
export class VotifierClient {
  /** The chunks that were read. */
  readonly reads: Buffer[] = [];
  private readonly gone: Promise<unknown>;
  private news: () => void = () => {};

  private constructor(readonly socket: Socket) {
    this.gone = new Promise((resolve) => socket.on('close', resolve));
    socket.on('error', () => {}); // `close` follows.
    socket.on('data', (chunk: Buffer) => {
      this.reads.push(chunk);
      this.news();
    });
    onTestFinished(() => {
      socket.destroy();
    });
  }

  /** Connects to 127.0.0.1, by default from there. Stays open until the test closes it. */
  static async open(port: number, localAddress = '127.0.0.1'): Promise<VotifierClient> {
    const socket = connect({ host: '127.0.0.1', port, localAddress, noDelay: true, allowHalfOpen: true });
    const client = new VotifierClient(socket);
    await once(socket, 'connect');
    return client;
  }

  /** Connects and reads the greeting. */
  static async greeted(port: number, localAddress?: string): Promise<VotifierClient> {
    const client = await VotifierClient.open(port, localAddress);
    await client.challenge();
    return client;
  }

  get text(): string {
    return Buffer.concat(this.reads).toString('utf8');
  }

  /** What was received after the greeting. */
  get answer(): string {
    return this.text.slice(this.text.indexOf('\n') + 1);
  }

  async challenge(): Promise<string> {
    while (!this.text.includes('\n')) await new Promise<void>((resolve) => (this.news = resolve));
    return this.text.split('\n')[0]?.split(' ')[2] ?? '';
  }

  async frame(vote: Partial<WireVote> = {}, token = TOKEN): Promise<Buffer> {
    return encodeV2Frame({ ...WIRE_VOTE, ...vote, challenge: await this.challenge() }, token);
  }

  write(bytes: Buffer | string): void {
    this.socket.write(bytes);
  }

  /** Ends this side (FIN); the listener may still send. */
  end(bytes: Buffer | string = ''): void {
    this.socket.end(bytes);
  }

  /** Writes, then resets at once (RST). */
  reset(bytes: Buffer): void {
    this.socket.write(bytes);
    this.socket.resetAndDestroy();
  }

  /** Resolves when the listener has ended the connection, with what it sent after the greeting. */
  async untilClosed(): Promise<string> {
    if (!this.socket.readableEnded && !this.socket.destroyed) {
      await Promise.race([once(this.socket, 'end').catch(() => {}), this.gone]);
    }
    this.socket.end();
    await this.gone;
    return this.answer;
  }
}
