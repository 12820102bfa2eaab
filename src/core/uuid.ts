import type { Random } from './random.ts';

/** A random UUID (RFC 9562 §5.4). */
export const uuid4 = (random: Random): string => marked(random.bytes(16), 4);

/** A UUID that sorts by time (RFC 9562 §5.7): 48 bits of milliseconds since the Unix epoch, and 74 random bits. */
export function uuid7(now: number, random: Random): string {
  const bytes = random.bytes(16);
  bytes.writeUIntBE(now, 0, 6);
  return marked(bytes, 7);
}

/** Sets the bits of the version and the variant. */
function marked(bytes: Buffer, version: 4 | 7): string {
  bytes.writeUInt8((version << 4) | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
