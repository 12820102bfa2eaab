import type { Draws } from '../core/decide.ts';
import type { Random } from '../core/random.ts';
import { questionsOf } from './judge.ts';
import type { Reward } from './reward.ts';

/**
 * The random numbers that these rewards may need, drawn when a vote arrives and kept with it, so that storing it a
 * second time grants the same. One for each reward with a chance, in order, whether or not the rest of its `if` will
 * hold: that may depend on the ledger, and a number costs a tenth of a microsecond.
 */
export const drawFor = (rewards: readonly Reward[], random: Random): Draws =>
  new Map(
    rewards
      .filter((reward) => questionsOf(reward).some(({ kind }) => kind === 'draw'))
      .map(({ name }) => [name, random.next()]),
  );

/** Every chance wins: for showing all that a vote could earn. */
export const winningDraws = (rewards: readonly Reward[]): Draws =>
  new Map(rewards.map(({ name }) => [name, 0]));
