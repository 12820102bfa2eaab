import type { Reward } from '../../src/rewards/reward.ts';
import { PLAIN_REWARD } from './plain-reward.ts';

/** A reward without conditions that is paid at once on `main`, unless overridden. */
export const reward = (name: string, more: Partial<Reward> = {}): Reward => ({
  ...PLAIN_REWARD,
  name,
  ...more,
});
