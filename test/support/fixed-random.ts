import type { Random } from '../../src/core/random.ts';

/** A source whose numbers are all 0 and whose bytes are all the one given. */
export const fixedRandom = (byte: number): Random => ({
  next: () => 0,
  bytes: (count) => Buffer.alloc(count, byte),
});
