import { PAYS_ALL } from '../../src/core/pay.ts';
import type { JudgedVote, Judging, Verdict } from '../../src/rewards/condition.ts';
import { type Draws, draw } from '../../src/rewards/draws.ts';
import { type History, NO_HISTORY, type RewardHistory } from '../../src/rewards/history.ts';
import { NESTED } from '../../src/rewards/judge.ts';
import type { Reward, Rules } from '../../src/rewards/reward.ts';
import { PLAIN_REWARD } from './plain-reward.ts';
import { arrival } from './votes.ts';

/** A reward without conditions that is paid at once on `main`, unless overridden. */
export const reward = (name: string, more: Partial<Reward> = {}): Reward => ({
  ...PLAIN_REWARD,
  name,
  ...more,
});

export const rulesFor = (...rewards: readonly Reward[]): Rules => ({
  rewards,
  parties: [],
  practiceServers: new Set(),
  labels: new Map(),
  listed: { player: [], user: [] },
  links: { player: [], user: [] },
  zone: 'UTC',
  pay: PAYS_ALL,
});

/** Steve's rewarded vote for `List` at noon on 1 June 2026, a Monday, unless overridden. */
export const vote = (facts: Partial<JudgedVote> = {}): JudgedVote => ({
  ...arrival().vote,
  standing: 'rewarded',
  day: 20_605,
  zone: 'UTC',
  nextAt: Date.UTC(2026, 5, 2, 12),
  ...facts,
});

/** What a condition decides by: a first vote with 0.5 drawn, unless overridden. */
export const judging = (facts: Partial<Judging> = {}): Judging => ({
  vote: vote(),
  history: NO_HISTORY,
  reward: NO_HISTORY.reward(''),
  listed: [],
  draw: () => 0.5,
  nested: NESTED,
  ...facts,
});

export const USER = { kind: 'user', key: '80351110224678912' } as const;

/** Draws in which the number for a reward’s chance is what is wanted. */
export function drawsWhere(reward: string, isWanted: (drawn: number) => boolean, occasion = ''): Draws {
  for (let seed = 0; ; seed++) {
    const draws: Draws = { kind: 'drawn', seed };
    if (isWanted(draw(draws, 'chance', reward, occasion))) return draws;
  }
}

/** A history in which only these parts are not empty. It contains the vote that is judged. */
export const historyWith = (parts: Partial<History>): History => ({ ...NO_HISTORY, ...parts });

/** A reward that started long ago and was granted for nothing, unless overridden. */
export const rewardWith = (parts: Partial<RewardHistory>): RewardHistory => ({
  ...NO_HISTORY.reward(''),
  ...parts,
});

/** The names of the occasions of each way in which a condition holds; null if it does not hold. */
export const waysIn = ({ held, ways }: Verdict): readonly (readonly string[])[] | null =>
  held ? (ways ?? []).map((way) => way.map(({ name }) => name)) : null;
