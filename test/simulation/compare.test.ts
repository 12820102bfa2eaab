import { expect, test } from 'vitest';
import { compare, isSame } from '../../src/operator/simulation/compare.ts';

const shown = (expected: Parameters<typeof compare>[0], ...actual: string[]): string[] =>
  compare(
    expected,
    actual.map((command) => ({ command })),
  ).map(({ kind, text }) => `${{ same: ' ', missing: '-', extra: '+' }[kind]}${text}`);

test('equal lists are the same', () => {
  expect(isSame(compare(['a', 'b'], [{ command: 'a' }, { command: 'b' }]))).toBe(true);
  expect(isSame(compare([], []))).toBe(true);
  expect(isSame(compare(['a'], []))).toBe(false);
});

test('a difference is explained by as few lines as possible', () => {
  expect(shown(['a', 'b', 'c'], 'a', 'x', 'c')).toEqual([' a', '-b', '+x', ' c']);
  expect(shown(['a', 'b', 'c', 'd'], 'b', 'c', 'e', 'd')).toEqual(['-a', ' b', ' c', '+e', ' d']);
  expect(shown(['a', 'a'], 'a')).toEqual([' a', '-a']);
  expect(shown([], 'a')).toEqual(['+a']);
});

test('another order is a difference, unless only the numbers count', () => {
  expect(shown(['a', 'b'], 'b', 'a')).toEqual(['-a', ' b', '+a']);
  expect(shown({ a: 1, b: 1 }, 'b', 'a')).toEqual([' 1 × a', ' 1 × b']);
  expect(shown({ a: 2, c: 1 }, 'b', 'a')).toEqual(['-2 × a', '+1 × a', '-1 × c', '+1 × b']);
});

test('thousands of differences are listed at once instead of being matched', () => {
  const expected = Array.from({ length: 3_000 }, (_, at) => `a${at}`);
  const actual = Array.from({ length: 3_000 }, (_, at) => `b${at}`);
  expect(shown(expected, ...actual)).toEqual([
    ...expected.map((text) => `-${text}`),
    ...actual.map((text) => `+${text}`),
  ]);
});
