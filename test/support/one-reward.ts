import type { Rules } from '../../src/rewards/reward.ts';

/** Rules with one reward: one command for each vote, which does not wait for the player. Free of vitest, for child processes. */
export const ONE_REWARD_RULES: Rules = {
  rewards: [
    {
      name: 'thanks',
      was: [],
      if: {},
      when: 'always',
      servers: ['main'],
      commands: ['say {player} voted'],
      safeToRunTwice: false,
      limit: null,
      stop: false,
    },
  ],
  practiceServers: new Set(),
  labels: new Map(),
  listed: { player: [], user: [] },
  zone: 'UTC',
};
