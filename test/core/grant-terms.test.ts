import { describe, expect, test } from 'vitest';
import { expiryOf } from '../../src/core/grant-terms.ts';

const HOUR = 3_600_000;
const hours = (count: number): number => count * HOUR;
const span = (start: number, end: number | null) => ({
  start: hours(start),
  end: end === null ? null : hours(end),
});
const NEVER_ASKED = hours(1_000);

describe('a grant that may wait for 24 hours expires', () => {
  test.each([
    ['24 hours later without a pause', [], 24],
    ['10 hours later still after a pause of 10 hours', [span(2, 12)], 34],
    ['only the later by what is left of a pause that began before it was made', [span(-5, 3)], 27],
    ['no later because of a pause that ended before it was made', [span(-5, -1)], 24],
    ['no later because of a pause that began when it had expired', [span(24, 30)], 24],
    ['no later by the time that two pauses share', [span(2, 12), span(4, 8)], 34],
    ['later by both of two pauses, in whatever order they are given', [span(20, 25), span(2, 12)], 39],
    ['no later by a pause that is only reached because of another one', [span(2, 12), span(34, 40)], 34],
  ] as const)('%s', (_, pauses, expected) => {
    expect(expiryOf(0, hours(24), pauses, NEVER_ASKED) / HOUR).toBe(expected);
  });

  test('not while a pause lasts: what was left when it began is left from now on', () => {
    expect(expiryOf(0, hours(24), [span(20, null)], hours(500))).toBe(hours(504));
  });

  test('if it had expired before the pause that lasts', () => {
    expect(expiryOf(0, hours(24), [span(25, null)], hours(500))).toBe(hours(24));
  });
});
