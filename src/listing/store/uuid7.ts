import type { Dice } from '../../core/dice.ts';

const VERSION_7 = 0x70;
const VARIANT = 0x80;

/** A UUID that sorts by time (RFC 9562 §5.7): 48 bits of milliseconds since the Unix epoch, 74 of chance. */
export function uuid7(now: number, dice: Dice): string {
  const bytes = dice.bytes(16);
  bytes.writeUIntBE(now, 0, 6);
  bytes.writeUInt8(VERSION_7 | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(VARIANT | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
