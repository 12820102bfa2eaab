import { describe, expect, test } from 'vitest';
import { MARKED_BYTES, markedCommand } from '../../src/core/proof.ts';
import { hasRunOn, markableRoot, readGameTime, readMark } from '../../src/delivery/kinds/rcon/mark-words.ts';

describe('the answer about a mark', () => {
  test.each([
    ['Storage teller:paid has the following contents: 1b', 'ran'],
    ['§7Storage teller:paid has the following contents: 0b', 'failed'],
    ['Der Speicher teller:paid hat folgenden Inhalt: 1b', 'ran'],
    ['Found no elements matching t1.5', 'absent'],
    ['[Data] Found no elements matching t1.5', 'absent'],
    ['Found no elements matching t1.55', 'unclear'],
    ['Keine Elemente gefunden, die mit t1.5 übereinstimmen', 'unclear'],
    ['Storage teller:paid has the following contents: 12b', 'unclear'],
    ['Storage teller:paid has the following contents: {t1: {5: 1b}}', 'unclear'],
    ['Storage other:paid has the following contents: 1b', 'unclear'],
    ['Unknown or incomplete command, see below for errordata<--[HERE]', 'unclear'],
    ['', 'unclear'],
  ] as const)('%s → %s', (reply, state) => {
    expect(readMark(reply, 't1.5')).toBe(state);
  });
});

test.each([
  ['The time is 48213', 48_213],
  ['§aThe time is 0', 0],
  ['The game time is 48213 tick(s)', 48_213],
  ['The time is 48213 or so', null],
  ['The current time in world is 14:05 or 2:05 PM or 8083 ticks', null],
  ['Unknown or incomplete command, see below for error', null],
] as const)('the game time in “%s” is %s', (reply, ticks) => {
  expect(readGameTime(reply)).toBe(ticks);
});

test.each([
  ['give Steve diamond 1', 'give'],
  ['/minecraft:Give Steve diamond 1', 'minecraft:give'],
  ['function votes:paid', null],
  ['minecraft:function votes:paid', null],
  ['execute as @a run say hello', null],
  ['', null],
] as const)('%s: the root of what is run with a mark is %s', (command, root) => {
  expect(markableRoot(command)).toBe(root);
});

test('a command without its slash follows the mark, which makes it 69 bytes longer at most', () => {
  expect(markedCommand('/give Steve diamond 1', 't00000000ab.7')).toBe(
    'execute store success storage teller:paid t00000000ab.7 byte 1 run give Steve diamond 1',
  );
  expect(MARKED_BYTES).toBe(69);
});

describe('a game server ran on', () => {
  const SEEN = { ticks: 1_000, at: 0 };

  test.each([
    ['20 ticks in each second', 1_200, 10_000],
    ['a second of lag', 1_180, 10_000],
    ['a second that was caught up', 1_220, 10_000],
  ])('%s', (_, ticks, elapsedMs) => {
    expect(hasRunOn(SEEN, ticks, elapsedMs)).toBe(true);
  });

  test.each([
    ['it was down for 3 s, and nothing was lost', 1_140, 10_000],
    ['its world went back by five minutes', 0, 10_000],
    ['the game stood still because nobody is on', 1_000, 10_000],
    ['ticks were sprinted', 3_000, 10_000],
    ['the clock was set back', 1_200, -3_600_000],
  ])('is not certain: %s', (_, ticks, elapsedMs) => {
    expect(hasRunOn(SEEN, ticks, elapsedMs)).toBe(false);
  });
});
