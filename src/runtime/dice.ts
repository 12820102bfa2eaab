import { randomBytes, randomFillSync, randomInt } from 'node:crypto';
import type { Dice } from '../core/dice.ts';

const STEPS = 2 ** 47;
/** One call for the randomness of some 150 challenges: asking for each costs 2 µs, a slice of this 0.2. */
const POOL_BYTES = 4096;
const FROM_POOL_MAX_BYTES = 256;

const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/** Bytes that nobody else gets: each of the pool is handed out once, as a copy, and wiped. */
function fromPool(count: number): Buffer {
  if (used + count > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = Buffer.from(pool.subarray(used, used + count));
  pool.fill(0, used, used + count);
  used += count;
  return bytes;
}

export const systemDice: Dice = {
  roll: () => randomInt(STEPS) / STEPS,
  bytes: (count) => (count <= FROM_POOL_MAX_BYTES ? fromPool(count) : randomBytes(count)),
};
