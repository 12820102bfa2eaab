import type { Seeded } from './seeded.ts';

/** Applies a few mutations: changes a byte, removes, inserts or doubles bytes, cuts the end off, or appends another vector. */
export function mutated(random: Seeded, base: Buffer, others: readonly Buffer[]): Buffer {
  let bytes = Buffer.from(base);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(bytes.length + 1);
    const to = Math.min(bytes.length, at + random.below(20));
    const pieces = random.pick([
      () => [bytes.subarray(0, at), random.bytes(1), bytes.subarray(at + 1)],
      () => [
        bytes.subarray(0, at),
        Buffer.from(random.pick(['{', '}', '"', '\\', '\r\n', '[', '\0', '\xff']), 'latin1'),
        bytes.subarray(at),
      ],
      () => [bytes.subarray(0, at), bytes.subarray(to)],
      () => [bytes.subarray(0, to), bytes.subarray(at)],
      () => [bytes.subarray(0, at)],
      () => [bytes, random.pick(others)],
    ])();
    bytes = Buffer.concat(pieces);
  }
  return bytes;
}
