import { expect, test } from 'vitest';
import { durationText, durationWords } from '../../src/core/duration.ts';
import { countText, listText, ordinal } from '../../src/core/list-text.ts';

test.each([
  [[], ''],
  [['A'], 'A'],
  [['A', 'B'], 'A or B'],
  [['A', 'B', 'C'], 'A, B or C'],
])('%j is listed as %j', (items, text) => {
  expect(listText(items, 'or')).toBe(text);
});

test.each([
  [1, '1st'],
  [2, '2nd'],
  [3, '3rd'],
  [4, '4th'],
  [11, '11th'],
  [112, '112th'],
  [21, '21st'],
  [1003, '1,003rd'],
])('the ordinal of %i is %s', (number, text) => {
  expect(ordinal(number)).toBe(text);
});

test('a count has its noun in the right number', () => {
  expect([countText(1, 'vote'), countText(0, 'vote'), countText(1000, 'vote')]).toEqual([
    '1 vote',
    '0 votes',
    '1,000 votes',
  ]);
});

test.each([
  [250, '250 ms', '250 milliseconds'],
  [1000, '1 s', '1 second'],
  [200_000, '3 min 20 s', '3 minutes 20 seconds'],
  [86_400_000, '24 h', '24 hours'],
  [7 * 86_400_000, '7 d', '7 days'],
])('%i ms is %s, and %s in whole words', (ms, short, long) => {
  expect([durationText(ms), durationWords(ms)]).toEqual([short, long]);
});
