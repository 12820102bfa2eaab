import type { Seeded } from './seeded.ts';

/** A few of: a byte changed, bytes cut out, put in, doubled, the end cut off, another vector behind. */
export function mutated(dice: Seeded, base: Buffer, others: readonly Buffer[]): Buffer {
  let bytes = Buffer.from(base);
  for (let times = 1 + dice.below(4); times > 0; times--) {
    const at = dice.below(bytes.length + 1);
    const to = Math.min(bytes.length, at + dice.below(20));
    const pieces = dice.pick([
      () => [bytes.subarray(0, at), dice.bytes(1), bytes.subarray(at + 1)],
      () => [
        bytes.subarray(0, at),
        Buffer.from(dice.pick(['{', '}', '"', '\\', '\r\n', '[', '\0', '\xff']), 'latin1'),
        bytes.subarray(at),
      ],
      () => [bytes.subarray(0, at), bytes.subarray(to)],
      () => [bytes.subarray(0, to), bytes.subarray(at)],
      () => [bytes.subarray(0, at)],
      () => [bytes, dice.pick(others)],
    ])();
    bytes = Buffer.concat(pieces);
  }
  return bytes;
}
