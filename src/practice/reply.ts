import { encodePacket, packetType, REPLY_PIECE_CHARACTERS } from '../../protocol/rcon/packet.ts';
import type { ActiveFaults } from './faults.ts';

const PIECE_BYTES = 2_048;

/** Encodes a reply as vanilla does, or with the active fault [RCON-10]. */
export function encodeReply(id: number, text: string, faults: ActiveFaults): Buffer {
  if (faults.take('type-2-replies')) {
    const pieces = byCharacters(text).map((body) => encodePacket({ id, type: packetType.loginReply, body }));
    return Buffer.concat([...pieces, encodePacket({ id, type: packetType.loginReply, body: '' })]);
  }
  return Buffer.concat(
    piecesOf(text, faults).map((body) => encodePacket({ id, type: packetType.reply, body })),
  );
}

/** [RCON-3] An empty packet with a length field of −4, as some real servers send. */
export function garbageLength(id: number): Buffer {
  const packet = encodePacket({ id, type: packetType.reply, body: '' });
  packet.writeInt32LE(-4, 0);
  return packet;
}

function piecesOf(text: string, faults: ActiveFaults): (string | Buffer)[] {
  if (faults.take('pieces-of-2048')) return byBytes(Buffer.from(text, 'utf8'));
  if (faults.take('one-frame')) return [text];
  if (faults.take('empty-frame-first')) return ['', ...byCharacters(text)];
  return byCharacters(text);
}

/** At least one piece: an empty reply is an empty frame. */
function byCharacters(text: string): string[] {
  const pieces = [text.slice(0, REPLY_PIECE_CHARACTERS)];
  for (let at = REPLY_PIECE_CHARACTERS; at < text.length; at += REPLY_PIECE_CHARACTERS) {
    pieces.push(text.slice(at, at + REPLY_PIECE_CHARACTERS));
  }
  return pieces;
}

function byBytes(bytes: Buffer): Buffer[] {
  const pieces = [bytes.subarray(0, PIECE_BYTES)];
  for (let at = PIECE_BYTES; at < bytes.length; at += PIECE_BYTES)
    pieces.push(bytes.subarray(at, at + PIECE_BYTES));
  return pieces;
}
