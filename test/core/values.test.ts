import { expect, test } from 'vitest';
import { durationText, durationWords } from '../../src/core/duration.ts';
import { playerKey } from '../../src/core/player-name.ts';

test.each([
  [0, '0 s', '0 seconds'],
  [250, '250 ms', '250 milliseconds'],
  [1_000, '1 s', '1 second'],
  [1_500, '1 s', '1 second'],
  [200_000, '3 min 20 s', '3 minutes 20 seconds'],
  [600_000, '10 min', '10 minutes'],
  [86_400_000, '24 h', '24 hours'],
  [86_400_000 + 3 * 60_000, '24 h 3 min', '24 hours 3 minutes'],
  [3 * 86_400_000 + 3_600_000, '3 d 1 h', '3 days 1 hour'],
  [7 * 86_400_000, '7 d', '7 days'],
  [-7_200_000, '2 h', '2 hours'],
])('a duration of %i ms is shown as %s, and in whole words as %s', (ms, short, long) => {
  expect([durationText(ms), durationWords(ms)]).toEqual([short, long]);
});

test('the name of a player is one player’s however it is capitalized', () => {
  expect(playerKey('.StEvE_K')).toBe('.steve_k');
});

test('the name of a player with the Kelvin sign is not that with the letter k', () => {
  expect(playerKey('\u212aim')).not.toBe(playerKey('Kim'));
});
