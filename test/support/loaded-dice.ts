import type { Dice } from '../../src/core/dice.ts';

/** Dice whose every byte is the one given. */
export const loadedDice = (byte: number): Dice => ({
  roll: () => 0,
  bytes: (count) => Buffer.alloc(count, byte),
});
