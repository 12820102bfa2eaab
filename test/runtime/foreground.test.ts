import { expect, test } from 'vitest';
import { inForeground } from '../../src/platform/foreground.ts';

test.each([
  ['the group that the terminal listens to', '812 (node) S 790 812 790 34816 812 4194304 5', true],
  ['a name with spaces, brackets and numbers', '812 (a) S 1 2) S 790 812 790 34816 812 4194304 5', true],
  ['after `teller run &`', '812 (node) S 790 812 790 34816 790 4194304 5', false],
  ['a process without a terminal of its own', '812 (node) S 1 812 812 0 -1 4194304 5', false],
  ['a file that could not be read', '', false],
])('a process may read the terminal only in the foreground: %s', (_, stat, may) => {
  expect(inForeground(stat)).toBe(may);
});
