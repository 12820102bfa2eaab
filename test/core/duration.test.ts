import { expect, test } from 'vitest';
import { parseDuration } from '../../src/core/duration.ts';

test.each([
  ['500ms', 500],
  ['10s', 10_000],
  ['5m', 300_000],
  ['24h', 86_400_000],
  ['2d', 172_800_000],
  ['0s', 0],
])('%s is %i milliseconds', (text, ms) => {
  expect(parseDuration(text)).toBe(ms);
});

test.each(['', '10', 's', '1.5h', '-1s', '10 s', '10S', '1w', '1h30m', '9999999999s'])(
  '%j is not a duration',
  (text) => {
    expect(parseDuration(text)).toBeNull();
  },
);
