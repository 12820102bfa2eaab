/** [RCON-2] Login replies and commands share a number; their direction distinguishes them. */
export const packetType = { login: 3, command: 2, loginReply: 2, reply: 0 } as const;

/** [RCON-1] Bytes of the length field, which the length does not include. */
export const LENGTH_FIELD_BYTES = 4;
/** [RCON-3] The id, the type and the two NULs of a packet with an empty body. */
export const LEAST_LENGTH_BYTES = 10;
/** [RCON-3] */
export const MOST_LENGTH_BYTES = 1_048_576;
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

export interface Packet {
  readonly id: number;
  readonly type: number;
  /** Bytes, not a string: a server that splits replies by bytes may split inside a character [RCON-5]. */
  readonly body: Buffer;
}

/** @param body a string is written as UTF-8. */
export function encodePacket({
  id,
  type,
  body,
}: {
  id: number;
  type: number;
  body: Buffer | string;
}): Buffer {
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : body;
  const packet = Buffer.alloc(LENGTH_FIELD_BYTES + LEAST_LENGTH_BYTES + bytes.length);
  packet.writeInt32LE(LEAST_LENGTH_BYTES + bytes.length, 0);
  packet.writeInt32LE(id, LENGTH_FIELD_BYTES);
  packet.writeInt32LE(type, LENGTH_FIELD_BYTES + 4);
  bytes.copy(packet, LENGTH_FIELD_BYTES + ID_AND_TYPE_BYTES);
  return packet;
}

/** Reads what follows a length field. `null`: it does not end in two NULs [RCON-4]. */
export function decodePacket(frame: Buffer): Packet | null {
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

export type RequestFault = 'command-too-long' | 'command-not-one-line';

/** [RCON-6] Why a command cannot be sent; null: it can. */
export function judgeRequest(command: string): RequestFault | null {
  if (/[\r\n\0]/.test(command)) return 'command-not-one-line';
  return Buffer.byteLength(command, 'utf8') > REQUEST_BODY_MAX_BYTES ? 'command-too-long' : null;
}
