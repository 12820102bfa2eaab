import type { Draws } from '../core/decide.ts';
import type { Random } from '../core/random.ts';
import { questionsOf } from './judge.ts';
import type { Reward } from './reward.ts';

/**
 * Draws the random numbers that these rewards may need when a vote arrives. They are kept with the vote, so that a
 * second try to store it grants the same. Each reward with a chance gets one, in order, even if the rest of its `if`
 * will not hold: the rest may depend on the ledger, and a draw takes only a tenth of a microsecond.
 */
export const drawFor = (rewards: readonly Reward[], random: Random): Draws =>
  new Map(
    rewards
      .filter((reward) => questionsOf(reward).some(({ kind }) => kind === 'draw'))
      .map(({ name }) => [name, random.next()]),
  );

/** Draws that win every chance, to show everything that a vote could earn. */
export const winningDraws = (rewards: readonly Reward[]): Draws =>
  new Map(rewards.map(({ name }) => [name, 0]));
