import { describe, expect, test } from 'vitest';
import { Seeded } from '../../support/seeded.ts';
import { drawsOf, randomHistory } from './histories.ts';
import { type History, type RawReward, type Recomputed, recompute, type VoteEvent } from './oracle.ts';
import { type Payment, paymentsOf } from './payments.ts';
import { obeys, runOf } from './streaks.ts';
import { DAY } from './zone.ts';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

function shuffled<T>(random: Seeded, list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

/** The votes of a random history, where each of them is rewarded whatever the order. */
function countedVotes(seed: number): Omit<History, 'config'> & { sites: History['config']['sites'] } {
  const { startedAt, events } = randomHistory(seed);
  const votes = events.filter(
    (event): event is VoteEvent => event.kind === 'vote' && event.castAt >= startedAt,
  );
  const sites = Object.fromEntries(['default', 'A', 'B'].map((name) => [name, { cooldown: '1s' }]));
  const distinct = votes.filter(
    (vote, index) =>
      votes.findIndex((other) => other.player === vote.player && other.castAt === vote.castAt) === index,
  );
  return { startedAt, events: distinct.map(({ tooOld: _, ...vote }) => vote), sites };
}

const rewarding = (name: string, condition: NonNullable<RawReward['if']>): RawReward => ({
  name,
  if: condition,
  commands: ['say hi'],
});

const ORDERLESS: readonly RawReward[] = [
  ...(['total', 'site', 'day', 'week', 'month', 'network'] as const).map((of) =>
    rewarding(of, { votes: { every: 2, of } }),
  ),
  rewarding('listed', { votes: { at: [1, '3..9 step 3'], sites: ['A', 'B'] } }),
  rewarding('first', { firstVote: true }),
  rewarding('first on a site', { firstVote: 'site' }),
  rewarding('first of a day', { firstVote: 'day' }),
  rewarding('all sites', { allSites: true }),
  rewarding('two sites of a week', { allSites: { atLeast: 2, sites: ['A', 'B', 'C'], within: 'week' } }),
];

/** As the history has them, and then shuffled. */
function inTwoOrders(seed: number, rewards: readonly RawReward[]): [Recomputed, Recomputed] {
  const { sites, startedAt, events } = countedVotes(seed);
  const config = { timeZone: 'Europe/Berlin', sites, rewards };
  const draw = drawsOf(seed);
  return [
    recompute({ startedAt, config, events }, draw),
    recompute({ startedAt, config, events: shuffled(new Seeded(seed), events) }, draw),
  ];
}

describe('over one fixed set of counted votes', () => {
  test('totals, first votes and all-sites do not depend on the order', () => {
    for (const seed of seeds(40)) {
      const [one, other] = inTwoOrders(seed, ORDERLESS).map((recomputed) =>
        paymentsOf(recomputed)
          .map(({ reward, player, occasion }) =>
            [reward, reward === 'network' ? '' : player, occasion].join(' | '),
          )
          .sort(),
      );
      expect(other, `seed ${seed}`).toEqual(one);
    }
  });

  test.each([
    ['nothing is forgiven', undefined],
    ['one miss in 7 days is forgiven', { missed: 1, in: 7 }],
    ['two misses in 5 days are forgiven', { missed: 2, in: 5 }],
  ])('everything due of a streak is paid, in any order, where %s', (_, forgive) => {
    const rewards = [
      rewarding('r', { streak: { length: 2, repeat: true, ...(forgive ? { forgive } : {}) } }),
    ];
    for (const seed of seeds(40)) {
      for (const recomputed of inTwoOrders(seed, rewards))
        expectAllPaid(recomputed, forgive ?? { missed: 0, in: 1 });
    }
  });
});

/** For every threshold that the run of a day reaches, a day that the threshold was paid for is within reach of that day. */
function expectAllPaid(recomputed: Recomputed, forgive: { missed: number; in: number }): void {
  const payments = paymentsOf(recomputed);
  for (const player of new Set(recomputed.votes.map((vote) => vote.player))) {
    const voted = new Set(recomputed.votes.filter((vote) => vote.player === player).map(({ day }) => day));
    const paid = payments
      .filter((payment) => payment.player === player)
      .map(({ occasion }) => paidStreak(occasion));
    for (const day of voted) {
      for (let threshold = 2; threshold <= runOf(voted, day, forgive); threshold += 2) {
        const isPaid = paid.some(
          (one) =>
            one.threshold === threshold &&
            obeys(voted, { from: Math.min(one.day, day), to: Math.max(one.day, day) }, forgive),
        );
        expect(isPaid, `${player}, day ${day}, ${threshold}`).toBe(true);
      }
    }
  }
}

function paidStreak(occasion: string): { threshold: number; day: number } {
  const [, threshold, day] = /^streak (\d+) reached (\S+)$/.exec(occasion) as unknown as [
    string,
    string,
    string,
  ];
  return { threshold: Number(threshold), day: Date.parse(day) / DAY };
}

/** One vote at noon on each of these days since 1970, in this order. */
function onDays(days: readonly number[]): Payment[] {
  const events = days.map((day): VoteEvent => {
    const castAt = day * DAY + DAY / 2;
    return { kind: 'vote', service: 'A', player: 'alex', castAt, receivedAt: castAt };
  });
  const rewards = [rewarding('r', { streak: { length: 3, repeat: true } })];
  const config = { timeZone: 'UTC', sites: { default: {} }, rewards };
  return paymentsOf(recompute({ startedAt: 0, config, events }, () => 0));
}

const FIRST_DAY = 20_000;

/** The days of one unbroken run, each next to those that are already there. */
function growing(random: Seeded, length: number): number[] {
  let [from, to] = [FIRST_DAY, FIRST_DAY];
  return [FIRST_DAY, ...Array.from({ length: length - 1 }, () => (random.chance(0.5) ? ++to : --from))];
}

describe('a streak without forgiveness', () => {
  test('that is never broken pays each threshold once, on whichever side it grows', () => {
    for (const seed of seeds(100)) {
      const random = new Seeded(seed);
      const length = 1 + random.below(20);
      const thresholds = onDays(growing(random, length)).map(
        ({ occasion }) => paidStreak(occasion).threshold,
      );
      const expected = Array.from({ length: Math.floor(length / 3) }, (_, index) => (index + 1) * 3);
      expect(thresholds, `seed ${seed}`).toEqual(expected);
    }
  });

  test('pays nothing that was already paid in the unbroken run of that moment, whatever the order', () => {
    for (const seed of seeds(100)) {
      const random = new Seeded(seed);
      const length = 5 + random.below(20);
      const days = shuffled(
        random,
        Array.from({ length }, (_, index) => FIRST_DAY + index),
      ).slice(random.below(4));
      const paid: { threshold: number; day: number }[] = [];
      for (const { number, occasion } of onDays(days)) {
        const { threshold, day } = paidStreak(occasion);
        const run = unbrokenRun(days.slice(0, number + 1), day);
        expect(run.length, `seed ${seed}`).toBeGreaterThanOrEqual(threshold);
        const before = paid.filter((one) => one.threshold === threshold && run.includes(one.day));
        expect(before, `seed ${seed}`).toEqual([]);
        expect(day, `seed ${seed}`).toBe(Math.min(...run) + threshold - 1);
        paid.push({ threshold, day });
      }
    }
  });
});

/** Walks from a day in both directions for as long as there are votes. */
function unbrokenRun(days: readonly number[], day: number): number[] {
  const run = [day];
  for (let next = day + 1; days.includes(next); next++) run.push(next);
  for (let next = day - 1; days.includes(next); next--) run.push(next);
  return run;
}
