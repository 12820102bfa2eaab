import { PAYS_ALL } from '../../src/core/pay.ts';
import type { Rules } from '../../src/rewards/reward.ts';
import { PLAIN_REWARD } from './plain-reward.ts';

/** Rules with one reward: one command for each vote, which does not wait for the player. Free of vitest, for child processes. */
export const ONE_REWARD_RULES: Rules = {
  rewards: [{ ...PLAIN_REWARD, name: 'thanks' }],
  parties: [],
  practiceServers: new Set(),
  labels: new Map(),
  listed: { player: [], user: [] },
  links: { player: [], user: [] },
  zone: 'UTC',
  pay: PAYS_ALL,
};

/** Rewards of which all players together get only some. */
export const SCARCE_RULES: Rules = {
  ...ONE_REWARD_RULES,
  rewards: [
    { ...PLAIN_REWARD, name: 'three', limit: { per: 'network', count: 3, within: 'day' } },
    { ...PLAIN_REWARD, name: 'tenths', if: { votes: { of: 'network', every: 10 } } },
  ],
};
