import type { Random } from './random.ts';

/** The random bytes of a UUID. */
export const UUID_BYTES = 16;

/** A random UUID (RFC 9562 §5.4). */
export const uuid4 = (random: Random): string => uuid4Of(random.bytes(UUID_BYTES));

/** The same from bytes that were drawn before. */
export const uuid4Of = (bytes: Uint8Array): string => marked(Buffer.from(bytes), 4);

/** A UUID that sorts by time (RFC 9562 §5.7): 48 bits of milliseconds since the Unix epoch, and 74 random bits. */
export function uuid7(now: number, random: Random): string {
  const bytes = random.bytes(UUID_BYTES);
  bytes.writeUIntBE(now, 0, 6);
  return marked(bytes, 7);
}

/** Sets the bits of the version and the variant. */
function marked(bytes: Buffer, version: 4 | 7): string {
  bytes.writeUInt8((version << 4) | (bytes.readUInt8(6) & 0x0f), 6);
  bytes.writeUInt8(0x80 | (bytes.readUInt8(8) & 0x3f), 8);
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
