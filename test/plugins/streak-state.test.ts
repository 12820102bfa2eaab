import { expect, test } from 'vitest';
import { parseStreakState } from '../../src/plugins/votingplugin/streak-state.ts';

const at = (date: string): number => Date.parse(`${date}T12:00:00Z`);

test.each([
  ['2026-11-22|15|1|true||0', 'day', 15, at('2026-11-22')],
  ['2026-W47|4|3|true||0', 'week', 4, at('2026-11-19')],
  ['2026-11|2|1|true|2026-10|1', 'month', 2, at('2026-11-15')],
  // No vote has counted in the period yet, and none before was missed.
  ['2026-11-01|15|0|false||0', 'day', 15, at('2026-10-31')],
  ['2026-W01|4|2|false||0', 'week', 4, at('2025-12-25')],
  ['2026-01|2|0|false||0', 'month', 2, at('2025-12-15')],
  // It may have been the one before that was missed.
  ['2026-11-22|15|0|false|2026-11-21|1', 'day', 15, null],
])('%s is a streak per %s of %i whose last period is known', (text, per, length, lastAt) => {
  expect(parseStreakState(text)).toEqual({ per, length, lastAt });
});

test.each(['', '2026-11-22', '2026-11-22|many|1|true||0', 'yesterday|1|1|true||0'])(
  '%j is no streak',
  (text) => {
    expect(parseStreakState(text)).toBeNull();
  },
);
