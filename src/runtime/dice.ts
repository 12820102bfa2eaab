import { randomBytes, randomInt } from 'node:crypto';
import type { Dice } from '../core/dice.ts';

const STEPS = 2 ** 47;

export const systemDice: Dice = {
  roll: () => randomInt(STEPS) / STEPS,
  bytes: (count) => randomBytes(count),
};
