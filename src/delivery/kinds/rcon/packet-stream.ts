import type { Socket } from 'node:net';
import { type Packet, RconReader } from '../../../../protocol/rcon.ts';
import type { Clock } from '../../../core/clock.ts';
import { interruptible } from '../../../core/interruptible.ts';

export type EndReason = 'closed' | 'bad-reply' | 'shut-down';

export type Arrival =
  | { readonly kind: 'packet'; readonly packet: Packet }
  /** No packet came in time. */
  | { readonly kind: 'silence' }
  /** No more packets will come. */
  | { readonly kind: 'ended'; readonly reason: EndReason };

type Wanted = (packet: Packet) => boolean;

const NONE: Wanted = () => false;

/**
 * The packets of one connection, for one reader, which names the packets that it waits for. Any other packet is late or
 * foreign and is dropped when it comes [RCON-9], so that packets do not pile up between reads.
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
    // Before node's own `close`: nothing may be written to a connection that the other side has closed.
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

  /** Whether part of a packet has arrived, but not all of it. */
  get midPacket(): boolean {
    return this.reader.midPacket;
  }

  /** Waits for these packets from now on. */
  expect(wanted: Wanted): void {
    this.wanted = wanted;
    this.arrived = [];
  }

  expectNothing(): void {
    this.expect(NONE);
  }

  /** Sends a request in one write, so that it travels in one segment [RCON-6]. */
  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  async next(waitMs: number): Promise<Arrival> {
    if (this.arrived.length === 0 && this.end === null) await this.arrivalOrEnd(waitMs);
    const packet = this.arrived.shift();
    if (packet !== undefined) return { kind: 'packet', packet };
    return this.end === null ? { kind: 'silence' } : { kind: 'ended', reason: this.end };
  }

  close(reason: EndReason): void {
    this.end ??= reason;
    this.socket.destroy();
    this.wake?.();
  }

  private arrivalOrEnd(waitMs: number): Promise<void> {
    const limits = { clock: this.clock, limitMs: waitMs, interrupted: () => {} };
    return interruptible<void>(limits, (end) => {
      this.wake = end;
    });
  }

  private receive(chunk: Buffer): void {
    const { packets, state } = this.reader.push(chunk);
    this.arrived.push(...packets.filter(this.wanted));
    if (state.kind === 'refused') this.close('bad-reply');
    else if (this.arrived.length > 0) this.wake?.();
  }
}
