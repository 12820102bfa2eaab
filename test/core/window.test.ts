import { describe, expect, test } from 'vitest';
import { type Cooldown, windowOf } from '../../src/core/cooldown.ts';
import {
  nextWindow,
  type StoredWindow,
  windowsCutBy,
  windowsCutByNext,
  windowTakenBy,
} from '../../src/core/window.ts';

// Times are in hours, since only their distance matters.
const stored = (id: number, castAt: number, end: number): StoredWindow => ({
  id,
  castAt,
  window: { start: castAt, end },
});

const span = (ms: number): Cooldown => ({ kind: 'span', ms });

describe('the window of a vote (rule 3)', () => {
  test('starts when the vote was cast and lasts as long as the cooldown', () => {
    expect(windowOf(100, span(24))).toEqual({ start: 100, end: 124 });
  });

  test.each([
    [76, null],
    [77, 1],
    [100, 1],
    [123, 1],
    [124, null],
  ])('of a vote at 100 under a cooldown of 24 blocks a vote cast at %i: %s', (castAt, id) => {
    const taken = windowTakenBy(castAt, span(24), [{ id: 1, castAt: 100 }]);
    expect(taken?.id ?? null).toBe(id);
  });

  test('leaves one free instant between two votes that are 48 hours apart', () => {
    const rewarded = [
      { id: 1, castAt: 100 },
      { id: 2, castAt: 148 },
    ];
    expect([123, 124, 125].map((castAt) => windowTakenBy(castAt, span(24), rewarded)?.id ?? null)).toEqual([
      1,
      null,
      2,
    ]);
  });

  test('is next free after the last of the rewarded votes that leave no room between them', () => {
    const rewarded = [
      { id: 1, castAt: 100 },
      { id: 2, castAt: 130 },
      { id: 3, castAt: 200 },
    ];
    expect(nextWindow(110, span(24), rewarded)).toBe(154);
    expect(nextWindow(110, span(24), [])).toBe(110);
  });
});

describe('a vote that rule 3 allows although a stored window has not ended yet', () => {
  test('ends the stored window where its own window starts', () => {
    expect(windowsCutBy(113, span(12), [stored(1, 100, 124)])).toEqual([stored(1, 100, 113)]);
  });

  test('does not change stored windows that end earlier or start later', () => {
    expect(windowsCutBy(124, span(12), [stored(1, 100, 124), stored(2, 140, 164)])).toEqual([]);
  });

  test('does not change a stored window if the two votes are closer than the cooldown', () => {
    expect(windowsCutBy(111, span(12), [stored(1, 100, 124)])).toEqual([]);
  });
});

describe('windows of votes that were redated', () => {
  test('end where the next one starts', () => {
    const moved = [stored(1, 100, 124), stored(2, 110, 134), stored(3, 134, 158)];
    expect(windowsCutByNext(moved)).toEqual([stored(1, 100, 110)]);
  });

  test('become empty if two start at the same time, except for the later vote’s', () => {
    expect(windowsCutByNext([stored(1, 100, 124), stored(2, 100, 124)])).toEqual([stored(1, 100, 100)]);
  });
});
