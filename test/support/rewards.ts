/** Rewards and rules. Free of vitest, for child processes. */
import { PAYS_ALL } from '../../src/core/pay.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';

/** Parts of a reward without conditions that is paid at once on `main`. */
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

/** A reward without conditions that is paid at once on `main`, unless overridden. */
export const reward = (name: string, more: Partial<Reward> = {}): Reward => ({
  ...PLAIN_REWARD,
  name,
  ...more,
});

/** Rules with one reward: one command for each vote, which does not wait for the player. */
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
