import { expect, test } from 'vitest';
import { schemaKit } from '../../src/config/condition-schemas.ts';
import { chance } from '../../src/rewards/chance.ts';
import { judging } from '../support/rewards.ts';

test.each([
  ['5%', 0, true],
  ['5%', 0.0499, true],
  ['5%', 0.05, false],
  ['5%', 0.999, false],
  ['100%', 0.999, true],
] as const)('a chance of %s with %d drawn is judged right', (written, drawn, held) => {
  const share = chance.schema(schemaKit).parse(written);
  expect(chance.holds(share, judging({ draw: () => drawn }))).toEqual({
    held,
    because: { chance: share, rolled: drawn },
  });
});

test('reports the drawn number, won or lost, and nothing for a reward without a chance', () => {
  expect(chance.explain.notHeld({ chance: 0.05, rolled: 0.31 })).toBe('rolled 31%, needed less than 5%');
  expect(chance.explain.held({ chance: 0.05, rolled: 0.031 })).toBe('rolled 3.1%, needed less than 5%');
  expect(chance.explain.held({})).toBeNull();
});
