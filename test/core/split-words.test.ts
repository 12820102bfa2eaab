import { expect, test } from 'vitest';
import { splitWords } from '../../src/core/split-words.ts';

test.each([
  ['explain Steve', ['explain', 'Steve']],
  ['  grants\t pay  7 ', ['grants', 'pay', '7']],
  [`votes void 3 --note "his brother's"`, ['votes', 'void', '3', '--note', "his brother's"]],
  [`--note='two words' ""`, ['--note=two words', '']],
  [`a"b c"'d "e'f`, ['ab cd "ef']],
  ['import C:\\Teller\\votes.yml', ['import', 'C:\\Teller\\votes.yml']],
  ['', []],
])('the words of %j are %j', (line, words) => {
  expect(splitWords(line)).toEqual(words);
});

test.each([`explain "Steve`, `pause --note don't`, `"'`, `a '"' "`])('%j has an open quote', (line) => {
  expect(splitWords(line)).toBeNull();
});
