import type { Rules } from '../../src/rewards/reward.ts';
import { PLAIN_REWARD } from './plain-reward.ts';

/** Rules with one reward: one command for each vote, which does not wait for the player. Free of vitest, for child processes. */
export const ONE_REWARD_RULES: Rules = {
  rewards: [{ ...PLAIN_REWARD, name: 'thanks' }],
  practiceServers: new Set(),
  labels: new Map(),
  listed: { player: [], user: [] },
  zone: 'UTC',
};
