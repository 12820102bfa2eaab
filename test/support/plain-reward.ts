import type { Reward } from '../../src/rewards/reward.ts';

/** Parts of a reward without conditions that is paid at once on `main`. Free of vitest, for child processes. */
export const PLAIN_REWARD = {
  was: [],
  if: {},
  when: 'always',
  servers: ['main'],
  whereOnline: false,
  commands: ['say {player} voted'],
  prizes: [],
  oneOf: [],
  otherwise: [],
  messages: [],
  announcement: null,
  safeToRunTwice: false,
  terms: null,
  limit: null,
  stop: false,
  firstOf: null,
} satisfies Omit<Reward, 'name'>;
