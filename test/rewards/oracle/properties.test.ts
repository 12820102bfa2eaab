import { describe, expect, test } from 'vitest';
import { drawsOf, randomHistory } from './histories.ts';
import { recompute } from './oracle.ts';
import { paymentsOf } from './payments.ts';
import { overlap } from './windows.ts';
import { groupsOf } from './written.ts';
import { DAY, firstInstant, HOUR, localTime } from './zone.ts';

const seeds = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const whole = seeds(120).map((seed) => {
  const history = randomHistory(seed);
  return { seed, history, recomputed: recompute(history, drawsOf(seed)) };
});

describe('in every random history', () => {
  test('no occasion of a reward is paid twice to a player, and none of the network to anyone', () => {
    for (const { seed, recomputed } of whole) {
      const keys = paymentsOf(recomputed)
        .filter(({ occasion }) => occasion !== '')
        .map(({ reward, player, occasion }) =>
          [reward, occasion.includes('network') ? '' : player, occasion].join(' | '),
        );
      expect(new Set(keys).size, `seed ${seed}`).toBe(keys.length);
    }
  });

  test('stored windows of a player on a service do not overlap, and each contains its cast time', () => {
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

  test('no span of a limit contains more votes than it allows', () => {
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

  test('the same seed makes the same history and the same result', () => {
    for (const { seed, history, recomputed } of whole.slice(0, 20)) {
      expect(randomHistory(seed)).toEqual(history);
      expect(recompute(randomHistory(seed), drawsOf(seed))).toEqual(recomputed);
    }
  });

  test('votes that are paid, late, in the cooldown or too old, and several thresholds at once, are all frequent', () => {
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
