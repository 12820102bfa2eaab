/**
 * The middle one of these numbers. A test that asserts it does not fail because a busy machine delayed a few of them, but
 * fails if something delays most of them.
 */
export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
