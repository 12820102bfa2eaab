import {
  decodePacket,
  LEAST_LENGTH_BYTES,
  LENGTH_FIELD_BYTES,
  MOST_LENGTH_BYTES,
  type Packet,
} from './packet.ts';

/** Why a stream is not RCON, or is out of step. */
export const rconRefusals = {
  'length-too-small': 'announced a packet shorter than an empty one',
  'length-too-large': 'announced a packet longer than 1 MiB',
  'not-terminated': 'sent a packet that does not end in two NULs',
} as const;

export type RconRefusalCode = keyof typeof rconRefusals;

export interface RconRefusal {
  readonly kind: 'refused';
  readonly code: RconRefusalCode;
}

export interface RconRead {
  /** The packets that this chunk completed, in order. */
  readonly packets: readonly Packet[];
  /** The state after them. */
  readonly state: { readonly kind: 'need-more' } | RconRefusal;
}

const NEED_MORE = { kind: 'need-more' } as const;

/**
 * Cuts packets out of the bytes of one connection, in whatever pieces they arrive. A refusal is final: only the end of
 * one packet shows where the next begins [RCON-3].
 */
export class RconReader {
  private pieces: Buffer[] = [];
  private held = 0;
  private frameLength: number | null = null;
  private refusal: RconRefusal | null = null;

  push(chunk: Buffer): RconRead {
    const packets: Packet[] = [];
    if (this.refusal === null) {
      this.pieces.push(chunk);
      this.held += chunk.length;
      while (this.refusal === null && this.held >= this.wanted()) this.step(packets);
    }
    return { packets, state: this.refusal ?? NEED_MORE };
  }

  /** Whether a packet has begun and is not complete. */
  get midPacket(): boolean {
    return this.refusal === null && (this.held > 0 || this.frameLength !== null);
  }

  private wanted(): number {
    return this.frameLength ?? LENGTH_FIELD_BYTES;
  }

  /** Takes a length field or a frame. Each removes at least 4 bytes, so no input can cause an endless loop. */
  private step(packets: Packet[]): void {
    if (this.frameLength === null) {
      this.frameLength = this.take(LENGTH_FIELD_BYTES).readInt32LE(0);
      if (this.frameLength < LEAST_LENGTH_BYTES) this.refuse('length-too-small');
      else if (this.frameLength > MOST_LENGTH_BYTES) this.refuse('length-too-large');
      return;
    }
    const packet = decodePacket(this.take(this.frameLength));
    this.frameLength = null;
    if (packet === null) this.refuse('not-terminated');
    else packets.push(packet);
  }

  private take(count: number): Buffer {
    const all = this.pieces.length === 1 ? (this.pieces[0] as Buffer) : Buffer.concat(this.pieces);
    this.pieces = all.length === count ? [] : [all.subarray(count)];
    this.held -= count;
    return all.subarray(0, count);
  }

  private refuse(code: RconRefusalCode): void {
    this.refusal = { kind: 'refused', code };
    this.pieces = [];
    this.held = 0;
  }
}
