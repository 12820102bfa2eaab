import { expect, test } from 'vitest';
import { playerKey } from '../../src/core/player-name.ts';

test('names that differ only in case are one player', () => {
  expect(playerKey('.StEvE_K')).toBe('.steve_k');
});

test('the Kelvin sign is not the letter k', () => {
  expect(playerKey('\u212aim')).not.toBe(playerKey('Kim'));
});
