import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/core/seeded-random.ts';
import { decide } from '../../src/rewards/decide.ts';
import { drawFor } from '../../src/rewards/draws.ts';
import { NO_HISTORY } from '../../src/rewards/history.ts';
import { rulesFor } from '../support/ledgers.ts';
import { PLAIN_REWARD } from '../support/plain-reward.ts';
import { arrival } from '../support/votes.ts';

/** Fixed, so that these tests give the same result each time. */
const SEEDS = Array.from({ length: 20 }, (_, seed) => seed);
const VOTES = 2_000;

const RULES = rulesFor(
  { ...PLAIN_REWARD, name: 'lucky', if: { chance: 0.05 }, commands: ['won'], otherwise: ['lost'] },
  {
    ...PLAIN_REWARD,
    name: 'crate',
    commands: [],
    oneOf: [
      { name: 'rare', weight: 5, commands: ['rare'] },
      { name: 'good', weight: 20, commands: ['good'] },
      { name: 'usual', weight: 75, commands: ['usual'] },
    ],
  },
  { ...PLAIN_REWARD, name: 'dice', commands: ['rolled {random 1..6}'] },
);

/** How often each command is run in so many votes. */
function runsWith(seed: number): ReadonlyMap<string, number> {
  const random = seededRandom(seed);
  const runs = new Map<string, number>();
  for (let vote = 0; vote < VOTES; vote++) {
    const { grants } = decide({ ...arrival(), draws: drawFor(random), rules: RULES }, [], NO_HISTORY);
    for (const command of grants.flatMap(({ commands }) => commands)) {
      runs.set(command, (runs.get(command) ?? 0) + 1);
    }
  }
  return runs;
}

const bySeed = SEEDS.map(runsWith);

const PROBABILITIES: readonly (readonly [string, number])[] = [
  ['won', 0.05],
  ['lost', 0.95],
  ['rare', 0.05],
  ['good', 0.2],
  ['usual', 0.75],
  ...[1, 2, 3, 4, 5, 6].map((number) => [`rolled ${number}`, 1 / 6] as const),
];

describe.each(PROBABILITIES)('%s, with a probability of %d', (command, probability) => {
  const deviation = (draws: number): number => Math.sqrt(draws * probability * (1 - probability));

  test('is run within four standard deviations with each seed', () => {
    for (const runs of bySeed) {
      const off = Math.abs((runs.get(command) ?? 0) - VOTES * probability);
      expect(off).toBeLessThan(4 * deviation(VOTES));
    }
  });

  test('is run within three standard deviations over all seeds, and not the same number of times with each', () => {
    const all = SEEDS.length * VOTES;
    const runs = bySeed.map((each) => each.get(command) ?? 0);
    expect(Math.abs(runs.reduce((sum, each) => sum + each, 0) - all * probability)).toBeLessThan(
      3 * deviation(all),
    );
    expect(new Set(runs).size).toBeGreaterThan(5);
  });
});

test('what is drawn for one reward says nothing about another: a rare crate is as lucky as any other', () => {
  const random = seededRandom(7);
  const both = Array.from({ length: 20_000 }, () => {
    const { grants } = decide({ ...arrival(), draws: drawFor(random), rules: RULES }, [], NO_HISTORY);
    return grants.flatMap(({ commands }) => commands);
  }).filter((commands) => commands.includes('won') && commands.includes('rare')).length;
  // 20,000 × 5% × 5%, and four standard deviations of that.
  expect(Math.abs(both - 50)).toBeLessThan(28);
});
