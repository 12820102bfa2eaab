import type { Socket } from 'node:net';
import type { Packet } from '../../../protocol/rcon/packet.ts';
import { RconReader } from '../../../protocol/rcon/reader.ts';
import type { Clock } from '../../core/clock.ts';

export type EndReason = 'closed' | 'bad-reply' | 'shut-down';

export type Arrival =
  | { readonly kind: 'packet'; readonly packet: Packet }
  /** Nothing came in the time given. */
  | { readonly kind: 'silence' }
  /** Nothing will come any more. */
  | { readonly kind: 'ended'; readonly reason: EndReason };

type Wanted = (packet: Packet) => boolean;

const NONE: Wanted = () => false;

/**
 * The packets of one connection, for one reader who says which ones he waits for. Any other is late or foreign and
 * is dropped as it comes [RCON-9], so that nothing piles up while nobody reads.
 */
export class PacketStream {
  private readonly reader = new RconReader();
  private wanted: Wanted = NONE;
  private arrived: Packet[] = [];
  private wake: (() => void) | null = null;
  private end: EndReason | null = null;

  /** @param signal ends the stream, as `shut-down`. */
  constructor(
    private readonly socket: Socket,
    private readonly clock: Clock,
    signal: AbortSignal,
  ) {
    const shutDown = () => this.close('shut-down');
    signal.addEventListener('abort', shutDown);
    socket.on('data', (chunk: Buffer) => this.receive(chunk));
    // Before node's own `close`: nothing may be written to a connection that the other side has left.
    socket.on('end', () => this.close('closed'));
    socket.on('error', () => this.close('closed'));
    socket.on('close', () => {
      signal.removeEventListener('abort', shutDown);
      this.close('closed');
    });
    if (signal.aborted) shutDown();
  }

  get ended(): EndReason | null {
    return this.end;
  }

  /** Whether a packet has begun and not ended. */
  get midPacket(): boolean {
    return this.reader.midPacket;
  }

  /** From here on, these are waited for. */
  expect(wanted: Wanted): void {
    this.wanted = wanted;
    this.arrived = [];
  }

  expectNothing(): void {
    this.expect(NONE);
  }

  /** One request is one write, so that it travels in one segment [RCON-6]. */
  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  async next(waitMs: number): Promise<Arrival> {
    if (this.arrived.length === 0 && this.end === null) await this.news(waitMs);
    const packet = this.arrived.shift();
    if (packet !== undefined) return { kind: 'packet', packet };
    return this.end === null ? { kind: 'silence' } : { kind: 'ended', reason: this.end };
  }

  close(reason: EndReason): void {
    this.end ??= reason;
    this.socket.destroy();
    this.wake?.();
  }

  private news(waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.clock.after(waitMs, () => this.wake?.());
      this.wake = () => {
        this.wake = null;
        cancel();
        resolve();
      };
    });
  }

  private receive(chunk: Buffer): void {
    const { packets, state } = this.reader.push(chunk);
    this.arrived.push(...packets.filter(this.wanted));
    if (state.kind === 'refused') this.close('bad-reply');
    else if (this.arrived.length > 0) this.wake?.();
  }
}
