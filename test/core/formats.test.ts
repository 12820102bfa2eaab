import { describe, expect, test } from 'vitest';
import { durationText } from '../../src/core/duration.ts';
import { parseInstant } from '../../src/core/instant.ts';
import { printable } from '../../src/core/printable.ts';
import { seededRandom } from '../../src/core/seeded-random.ts';

describe('durationText', () => {
  test.each([
    [0, '0 s'],
    [250, '250 ms'],
    [1_500, '1 s'],
    [200_000, '3 min 20 s'],
    [600_000, '10 min'],
    [86_400_000, '24 h'],
    [86_400_000 + 3 * 60_000, '24 h 3 min'],
    [3 * 86_400_000 + 3_600_000, '3 d 1 h'],
    [-7_200_000, '2 h'],
  ])('%i ms is %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});

describe('parseInstant', () => {
  test.each([
    ['2026-06-01', '2026-06-01T00:00:00.000Z'],
    ['2026-06-01T12:30', '2026-06-01T12:30:00.000Z'],
    ['2026-06-01T12:30:05.250Z', '2026-06-01T12:30:05.250Z'],
    ['2026-06-01T12:30+02:00', '2026-06-01T10:30:00.000Z'],
  ])('%s is %s, in UTC if no zone is named', (text, iso) => {
    expect(parseInstant(text)).toBe(Date.parse(iso));
  });

  test.each(['', 'yesterday', '2026-13-01', '2026-06-01 12:30', '1780315200', '2026-06-01T25:00'])(
    '%j is not an instant',
    (text) => {
      expect(parseInstant(text)).toBeNull();
    },
  );
});

describe('printable', () => {
  test('removes what could move a cursor, change the writing direction, hide text or break the line', () => {
    expect(printable('§aGave\u001b[2J \u202Ediamond\r\n to\u200b Steve')).toBe(
      'Gave?[2J ?diamond / to? Steve',
    );
  });

  test('reads a megabyte of spaces without backtracking, which would take an hour', () => {
    expect(printable(`${' '.repeat(1_000_000)}x`)).toHaveLength(200);
  });

  test('truncates a long text with an ellipsis', () => {
    expect(printable('abcdef', 4)).toBe('abc…');
  });
});

test('seeded random numbers are in [0, 1) and the same for the same seed', () => {
  const [a, b, other] = [seededRandom(7), seededRandom(7), seededRandom(8)];
  const numbers = Array.from({ length: 1_000 }, () => a.next());
  expect(Array.from({ length: 1_000 }, () => b.next())).toEqual(numbers);
  expect(other.next()).not.toBe(numbers[0]);
  expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...numbers)).toBeLessThan(1);
});
