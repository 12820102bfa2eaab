import type { Party, Rules } from '../../src/rewards/reward.ts';
import { rulesFor } from './ledgers.ts';
import { PLAIN_REWARD } from './plain-reward.ts';

/** A party at every third vote that pays the voters at once on `main`, unless overridden. */
export const party = (name: string, more: Partial<Party> = {}): Party => ({
  ...PLAIN_REWARD,
  name,
  every: 3,
  for: 'voters',
  minOnline: 1,
  userVotes: 1,
  reset: null,
  announceLeft: [],
  announce: [],
  commands: ['give {player} cake 1'],
  ...more,
});

/** The rules of a config with these parties and no rewards. */
export const rulesWith = (...parties: readonly Party[]): Rules => ({ ...rulesFor(), parties });
