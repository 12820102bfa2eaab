import { expect, test } from 'vitest';
import { PAYS_ALL } from '../../src/core/pay.ts';
import type { Recipient } from '../../src/core/vote.ts';
import { decide } from '../../src/rewards/decide.ts';
import { NO_HISTORY } from '../../src/rewards/history.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';
import { PLAIN_REWARD } from '../support/plain-reward.ts';
import { arrival } from '../support/votes.ts';

const reward = (name: string, command: string, when: Reward['when'] = 'always'): Reward => ({
  ...PLAIN_REWARD,
  name,
  when,
  commands: [command],
});

const REWARDS = [
  reward('player', 'give {player} diamond 1'),
  reward('percent', 'say %player% voted'),
  reward('user', 'pay {userId} 5'),
  reward('both', 'say a vote on {site}'),
  reward('online', 'say hello', 'online'),
];

/** The names of the rewards that this recipient's vote earns, with their commands. */
function owed(recipient?: Recipient) {
  const rules: Rules = {
    rewards: REWARDS,
    parties: [],
    practiceServers: new Set(),
    labels: new Map(),
    listed: { player: [], user: [] },
    links: { player: [], user: [] },
    zone: 'UTC',
    pay: PAYS_ALL,
  };
  const voted = arrival();
  const vote = recipient === undefined ? voted.vote : { ...voted.vote, recipient };
  const decision = decide({ ...voted, vote, rules }, [], NO_HISTORY);
  return decision.kind === 'rewarded'
    ? decision.grants.map(({ reward: name, commands }) => [name, ...commands])
    : null;
}

test('a player earns rewards that name a player or no recipient, and none that names a user ID', () => {
  expect(owed()?.map(([name]) => name)).toEqual(['player', 'percent', 'both', 'online']);
});

test('a user ID earns rewards that name it or no recipient, and none that names or waits for a player', () => {
  expect(owed({ kind: 'user', key: '80351110224678912' })).toEqual([
    ['user', 'pay 80351110224678912 5'],
    ['both', 'say a vote on List'],
  ]);
});
