import { expect, test } from 'vitest';
import { conditionText, DIMENSION, GAME_WORD, isRange } from '../../src/core/player-condition.ts';

test.each(['5..', '..10', '3', '1..5', '-5..-1', '0', '2147483647', '-2147483648..'])(
  'takes %s for a range, as the game does',
  (text) => {
    expect(isRange(text)).toBe(true);
  },
);

test.each(['', '..', '5..1', '1...5', '1..2..3', '1.5', 'a', '5.. run say hi', '2147483648', ' 5', '--1'])(
  'refuses %j as a range',
  (text) => {
    expect(isRange(text)).toBe(false);
  },
);

test.each(['vip', 'a.b+c-d_9'])('takes %s for the name of a tag', (text) => {
  expect(GAME_WORD.test(text)).toBe(true);
});

test.each(['', 'vip]', 'a,b', 'a b', '!vip', '"vip"', 'é', 'x'.repeat(65), 'a\nb'])(
  'refuses %j as the name of a tag, because it would change the question',
  (text) => {
    expect(GAME_WORD.test(text)).toBe(false);
  },
);

test('takes a dimension with or without a namespace, and nothing that could end the word', () => {
  expect(
    ['minecraft:the_nether', 'the_end', 'my.pack:sky/islands'].every((text) => DIMENSION.test(text)),
  ).toBe(true);
  expect(['The_End', 'a b', 'a:b:c', 'nether if', ''].some((text) => DIMENSION.test(text))).toBe(false);
});

test('names what is missing as the operator reads it', () => {
  expect(conditionText({ kind: 'tag', tag: 'vip' })).toBe('tag vip');
  expect(conditionText({ kind: 'team', team: 'red' })).toBe('team red');
  expect(conditionText({ kind: 'score', objective: 'votes', range: '5..' })).toBe('score votes 5..');
  expect(conditionText({ kind: 'dimension', dimension: 'the_end' })).toBe('dimension the_end');
});
