import { expect, test } from 'vitest';
import { PERS, parsePeriod, periodName } from '../../src/core/period.ts';
import { parseOccasion } from '../../src/rewards/occasion-name.ts';

const DAY = 20_605;

test.each([
  ['total 25', { threshold: 25, isNetworks: false, streaks: [] }],
  ['site My List, total 3 total 4', { threshold: 4 }],
  ['day 2026-06-01 total 2', { threshold: 2 }],
  ['week 2026-W23 total 5', { threshold: 5 }],
  ['month 2026-06 total 60', { threshold: 60 }],
  ['network 1000', { threshold: 1000, isNetworks: true }],
  ['streak 7 reached 2026-06-01', { threshold: 7, streaks: [{ per: 'day', length: 7, period: DAY }] }],
  ['streak 3 reached 2026-06', { streaks: [{ per: 'month', length: 3 }] }],
  ['day 2026-06-01', { threshold: null }],
  ['return 2026-06-01', { threshold: null }],
  ['total 25, streak 7 reached 2026-06-01', { threshold: 25, streaks: [{ length: 7 }] }],
])('reads "%s" as the conditions write it', (name, parts) => {
  expect(parseOccasion(name)).toMatchObject({ name, isTaken: false, ...parts });
});

test.each([
  '',
  'total',
  'total 0',
  'total 25 ',
  'Total 25',
  'day 2026-06 total 2',
  'day 2026-06-31',
  'week 2026-W54',
  'month 2026-06',
  'streak 7',
  'streak 7 reached tomorrow',
  'total 25,streak 7 reached 2026-06-01',
])('"%s" is not an occasion', (text) => {
  expect(parseOccasion(text)).toBeNull();
});

test('every period is read from its name', () => {
  for (const per of PERS) {
    for (let period = 0; period < 3_000; period++)
      expect(parsePeriod(periodName(per, period))).toEqual({ per, period });
  }
});
