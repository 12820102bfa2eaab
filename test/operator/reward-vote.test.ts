import { expect, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { planVoteReward, rewardVote } from '../../src/operator/reward-vote.ts';
import { type Operator, operator } from '../commands/operator.ts';
import { fixedRandom } from '../support/fixed-random.ts';

const REWARDS = [
  { name: 'daily', commands: ['give {player} diamond 1'] },
  { name: 'crate', if: { chance: '60%' }, commands: ['give {player} chest 1'] },
];

/** Steve's vote 1 has the window of unlisted sites, so vote 2 was counted but not rewarded. */
async function counted(
  rewards: readonly object[],
): Promise<{ readonly one: Operator; readonly config: Config }> {
  const one = await operator({ rewards });
  await one.vote('Steve', 'First.net', { at: '2026-06-01T12:00:00Z' });
  await one.vote('Steve', 'Second.net', { at: '2026-06-01T13:00:00Z' });
  return { one, config: await loadConfig(one.config, { missingSecrets: 'defer' }) };
}

test('plans every reward that can be granted, before chances are drawn', async () => {
  const { one, config } = await counted(REWARDS);
  const plan = await planVoteReward(one.ledger, config, 2);
  expect(plan).toMatchObject({
    kind: 'planned',
    vote: { id: 2, decision: 'unlisted' },
    grants: [{ reward: 'daily' }, { reward: 'crate' }],
    chances: new Map([['crate', 0.6]]),
  });
  expect(await one.ledger.grants({ voteId: 2, limit: 9 })).toEqual([]);
});

test.each([
  ['does not exist', REWARDS, 9, 'vote-missing'],
  ['was rewarded when it arrived', REWARDS, 1, 'vote-rewarded'],
  ['no reward applies to', [], 2, 'reward-none'],
])('refuses a vote that %s with a code', async (_, rewards, id, code) => {
  const { one, config } = await counted(rewards);
  expect(await planVoteReward(one.ledger, config, id)).toEqual({ kind: 'refused', code });
});

test('rewards a vote once although it was planned twice', async () => {
  const { one, config } = await counted(REWARDS);
  const plan = await planVoteReward(one.ledger, config, 2);
  if (plan.kind === 'refused') throw new Error(plan.code);
  const reward = () => rewardVote(one.ledger, config, plan, fixedRandom(7), one.clock);
  const rewarded = await reward();
  if (rewarded.kind === 'refused') throw new Error(rewarded.code);
  expect(rewarded.reasons.get('crate')).toMatchObject({ facts: { chance: 0.6 } });
  expect(await reward()).toEqual({ kind: 'refused', code: 'vote-rewarded-by-operator' });
});
