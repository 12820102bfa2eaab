/**
 * RCON, Minecraft's dialect of Source RCON: packets and a reader that cuts them out of the bytes of one connection, in whatever
 * pieces they arrive. Both sides use it: Teller as the client, the practice server as the server.
 */

/** [RCON-2] Login replies and commands share a number; their direction distinguishes them. */
export const packetType = { login: 3, command: 2, loginReply: 2, reply: 0 } as const;

/** [RCON-1] Bytes of the length field, which the length does not include. */
export const LENGTH_FIELD_BYTES = 4;
/** [RCON-3] The id, the type and the two NULs of a packet with an empty body. */
export const LEAST_LENGTH_BYTES = 10;
/** [RCON-3] */
const MOST_LENGTH_BYTES = 1_048_576;
/** [RCON-6] Vanilla reads a request once, up to this many bytes. */
export const REQUEST_MAX_BYTES = 1_460;
/** [RCON-6] */
const REQUEST_BODY_MAX_BYTES = REQUEST_MAX_BYTES - LENGTH_FIELD_BYTES - LEAST_LENGTH_BYTES;
/** [RCON-10] Where vanilla cuts a reply. */
export const REPLY_PIECE_CHARACTERS = 4_096;
/** [RCON-8] The id of a reply that refuses. */
export const REFUSED_LOGIN_ID = -1;

const ID_AND_TYPE_BYTES = 8;
const TERMINATOR_BYTES = 2;

/** [RCON-6] Why a command cannot be sent; null: it can. */
export function judgeRequest(command: string): 'command-too-long' | 'command-not-one-line' | null {
  if (/[\r\n\0]/.test(command)) return 'command-not-one-line';
  return Buffer.byteLength(command, 'utf8') > REQUEST_BODY_MAX_BYTES ? 'command-too-long' : null;
}

export interface Packet {
  readonly id: number;
  readonly type: number;
  /** Bytes, not a string: a server that splits replies by bytes may split inside a character [RCON-5]. */
  readonly body: Buffer;
}

/** @param packet a body that is a string is written as UTF-8. */
export function encodePacket(packet: Omit<Packet, 'body'> & { readonly body: Buffer | string }): Buffer {
  const body = typeof packet.body === 'string' ? Buffer.from(packet.body, 'utf8') : packet.body;
  const bytes = Buffer.alloc(LENGTH_FIELD_BYTES + LEAST_LENGTH_BYTES + body.length);
  bytes.writeInt32LE(LEAST_LENGTH_BYTES + body.length, 0);
  bytes.writeInt32LE(packet.id, LENGTH_FIELD_BYTES);
  bytes.writeInt32LE(packet.type, LENGTH_FIELD_BYTES + 4);
  body.copy(bytes, LENGTH_FIELD_BYTES + ID_AND_TYPE_BYTES);
  return bytes;
}

/** Reads what follows a length field. `null`: it does not end in two NULs [RCON-4]. */
function decodePacket(frame: Buffer): Packet | null {
  const end = frame.length - TERMINATOR_BYTES;
  if (frame[end] !== 0 || frame[end + 1] !== 0) return null;
  return {
    id: frame.readInt32LE(0),
    type: frame.readInt32LE(4),
    body: frame.subarray(ID_AND_TYPE_BYTES, end),
  };
}

/** [RCON-5] The text of a reply. Its pieces are joined before they are decoded. */
export const bodyText = (pieces: readonly Buffer[]): string => Buffer.concat(pieces).toString('utf8');

/** Why a stream is not RCON, or is out of step. */
interface RconRefusal {
  readonly kind: 'refused';
  /** A packet shorter than an empty one, one longer than 1 MiB, or one that does not end in two NULs. */
  readonly code: 'length-too-small' | 'length-too-large' | 'not-terminated';
}

interface RconRead {
  /** The packets that this chunk completed, in order. */
  readonly packets: readonly Packet[];
  /** The state after them. */
  readonly state: { readonly kind: 'need-more' } | RconRefusal;
}

/** A refusal is final: only the end of one packet shows where the next begins [RCON-3]. */
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
    return { packets, state: this.refusal ?? { kind: 'need-more' } };
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

  private refuse(code: RconRefusal['code']): void {
    this.refusal = { kind: 'refused', code };
    this.pieces = [];
    this.held = 0;
  }
}
