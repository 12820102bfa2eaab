import { expect, test } from 'vitest';
import { Seeded } from '../../support/seeded.ts';
import { DAY, firstInstant, HOUR, localTime } from './calendar.ts';
import { drawsOf, randomHistory } from './histories.ts';
import { type History, paymentsOf, type Recomputed, recompute, type VoteEvent } from './oracle.ts';
import { obeys, runOf } from './standing.ts';
import { overlap } from './votes.ts';
import { groupsOf, type RawIf, type RawReward } from './written.ts';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const whole = seeds(120).map((seed) => {
  const history = randomHistory(seed);
  return { seed, history, recomputed: recompute(history, drawsOf(seed)) };
});

test('in every random history, no occasion of a reward is paid twice to a player, and none of the network to anyone', () => {
  for (const { seed, recomputed } of whole) {
    const keys = paymentsOf(recomputed)
      .filter(({ occasion }) => occasion !== '')
      .map(({ reward, player, occasion }) =>
        [reward, occasion.includes('network') ? '' : player, occasion].join(' | '),
      );
    expect(new Set(keys).size, `seed ${seed}`).toBe(keys.length);
  }
});

test('in every random history, stored windows of a player on a service do not overlap, and each contains its cast time', () => {
  for (const { seed, recomputed } of whole) {
    const { votes } = recomputed;
    for (const one of votes) {
      if (!one.window) continue;
      const { start, end } = one.window;
      expect(start <= one.castAt && one.castAt < end, `seed ${seed}`).toBe(true);
      const others = votes.filter(
        (other) => other !== one && other.player === one.player && other.service === one.service,
      );
      expect(
        others.some(({ window }) => window && overlap(window, { start, end })),
        `seed ${seed}`,
      ).toBe(false);
    }
  }
});

test('in every random history, no span of a limit contains more votes than it allows', () => {
  let limits = 0;
  for (const { seed, history, recomputed } of whole) {
    const payments = paymentsOf(recomputed);
    for (const { name, limit } of groupsOf(history.config).flat()) {
      if (limit?.within !== '24h') continue;
      limits++;
      const granted = payments.filter(({ reward }) => reward === name);
      for (const { castAt: start, player } of granted) {
        const inSpan = granted.filter(
          (other) =>
            (limit.per === 'network' || other.player === player) &&
            start <= other.castAt &&
            other.castAt < start + DAY,
        );
        expect(new Set(inSpan.map(({ number }) => number)).size, `seed ${seed}`).toBeLessThanOrEqual(
          limit.count,
        );
      }
    }
  }
  expect(limits).toBeGreaterThan(10);
});

test('in every random history, the same seed makes the same history and the same result', () => {
  for (const { seed, history, recomputed } of whole.slice(0, 20)) {
    expect(randomHistory(seed)).toEqual(history);
    expect(recompute(randomHistory(seed), drawsOf(seed))).toEqual(recomputed);
  }
});

test('in every random history, votes that are paid, late, in the cooldown or too old, and several thresholds at once, are all frequent', () => {
  const payments = whole.map(({ recomputed }) => paymentsOf(recomputed));
  const decisions = whole.flatMap(({ recomputed }) => recomputed.votes.map(({ decision }) => decision));
  const several = payments.flat().filter((one, index, all) => {
    const next = all[index + 1];
    return next?.number === one.number && next.reward === one.reward;
  });
  expect(payments.filter((list) => list.length > 0).length).toBeGreaterThan(100);
  expect(several.length).toBeGreaterThan(20);
  for (const decision of ['rewarded', 'cooldown', 'too-old', 'before-start'] as const) {
    expect(decisions.filter((one) => one === decision).length, decision).toBeGreaterThan(100);
  }
  expect(decisions.filter((one) => one === 'unlisted').length).toBeGreaterThan(20);
});

test.each(['UTC', 'Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Asia/Kathmandu', 'Pacific/Auckland'])(
  'in %s, every day of three years begins at its first instant, and lasts 23, 24 or 25 hours',
  (timeZone) => {
    const first = Date.parse('2026-01-01') / DAY;
    for (let day = first; day < first + 3 * 365; day++) {
      const begins = firstInstant(timeZone, day, 0);
      expect([localTime(timeZone, begins).day, localTime(timeZone, begins - 1).day]).toEqual([day, day - 1]);
      expect([23, 24, 25]).toContain((firstInstant(timeZone, day + 1, 0) - begins) / HOUR);
    }
  },
);

function shuffled<T>(random: Seeded, list: readonly T[]): T[] {
  const left = [...list];
  return list.map(() => left.splice(random.below(left.length), 1)[0] as T);
}

/** The votes of a random history, where each of them is rewarded whatever the order. */
function countedVotes(seed: number): Omit<History, 'config'> {
  const { startedAt, events } = randomHistory(seed);
  const votes = events.filter(
    (event): event is VoteEvent => event.kind === 'vote' && event.castAt >= startedAt,
  );
  const distinct = votes.filter(
    (vote, index) =>
      votes.findIndex((other) => other.player === vote.player && other.castAt === vote.castAt) === index,
  );
  return { startedAt, events: distinct.map(({ tooOld: _, ...vote }) => vote) };
}

const SHORT = { cooldown: '1s' };
const SITES = { default: SHORT, A: SHORT, B: SHORT };

const rewarding = (name: string, condition: RawIf): RawReward => {
  return { name, if: condition, commands: ['say hi'] };
};

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
  const config = { timeZone: 'Europe/Berlin', sites: SITES, rewards };
  const history = { config, ...countedVotes(seed) };
  const other = { ...history, events: shuffled(new Seeded(seed), history.events) };
  return [recompute(history, drawsOf(seed)), recompute(other, drawsOf(seed))];
}

test('over one fixed set of counted votes, totals, first votes and all-sites do not depend on the order', () => {
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
  ['nothing is forgiven', { missed: 0, in: 1 }],
  ['one miss in 7 days is forgiven', { missed: 1, in: 7 }],
  ['two misses in 5 days are forgiven', { missed: 2, in: 5 }],
])(
  'over one fixed set of counted votes, everything due of a streak is paid, in any order, where %s',
  (_, forgive) => {
    const rewards = [rewarding('r', { streak: { length: 2, repeat: true, forgive } })];
    for (const seed of seeds(40))
      for (const recomputed of inTwoOrders(seed, rewards)) expectAllPaid(recomputed, forgive);
  },
);

/** For every threshold that the run of a day reaches, a day that the threshold was paid for is within reach of that day. */
function expectAllPaid(recomputed: Recomputed, forgive: { missed: number; in: number }): void {
  const payments = paymentsOf(recomputed);
  for (const player of new Set(recomputed.votes.map((vote) => vote.player))) {
    const voted = new Set(recomputed.votes.filter((vote) => vote.player === player).map(({ day }) => day));
    const paid = payments.filter((one) => one.player === player).map(({ occasion }) => paidStreak(occasion));
    for (const day of voted)
      for (let threshold = 2; threshold <= runOf(voted, day, forgive); threshold += 2) {
        const isWithin = (other: number) =>
          obeys(voted, { from: Math.min(other, day), to: Math.max(other, day) }, forgive);
        const isPaid = paid.some((one) => one.threshold === threshold && isWithin(one.day));
        expect(isPaid, `${player}, day ${day}, ${threshold}`).toBe(true);
      }
  }
}

function paidStreak(occasion: string): { threshold: number; day: number } {
  const [, threshold, day = ''] = /^streak (\d+) reached (\S+)$/.exec(occasion) ?? [];
  return { threshold: Number(threshold), day: Date.parse(day) / DAY };
}
