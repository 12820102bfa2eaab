import type { JudgedVote } from '../../src/rewards/condition.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';
import { arrival } from './votes.ts';

/** A reward without conditions that is paid at once on `main`, unless overridden. */
export const reward = (name: string, more: Partial<Reward> = {}): Reward => ({
  name,
  if: {},
  when: 'always',
  servers: ['main'],
  commands: ['say {player} voted'],
  safeToRunTwice: false,
  ...more,
});

export const rulesFor = (...rewards: readonly Reward[]): Rules => ({
  rewards,
  practiceServers: new Set(),
  labels: new Map(),
  zone: 'UTC',
});

/** Steve's vote for `List` at noon, unless overridden. */
export const vote = (facts: Partial<JudgedVote> = {}): JudgedVote => ({
  ...arrival().vote,
  zone: 'UTC',
  ...facts,
});

export const USER = { kind: 'user', key: '80351110224678912' } as const;
