import type { Rules } from '../../src/rewards/reward.ts';

/** Every rewarded vote earns one command that is paid at once. For processes of the tests, which have no test runner. */
export const THANKS_RULES: Rules = {
  rewards: [
    {
      name: 'thanks',
      if: {},
      when: 'always',
      servers: ['main'],
      commands: ['say {player} voted'],
      safeToRunTwice: false,
    },
  ],
  practiceServers: new Set(),
  labels: new Map(),
  zone: 'UTC',
};
