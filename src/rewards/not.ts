import { condition, type NestedIf } from './condition.ts';

/** Holds if an `if` does not hold. It gives no occasion. */
export const not = condition({
  schema: ({ nestedIf }) =>
    nestedIf()
      .meta({ title: 'if' })
      .describe('This must not hold; it is written like an `if`, without `chance`.'),
  example: { weekday: ['sat'] },
  holds: (written, judging) => ({ held: !judging.nested.judge(written, judging).held, because: {} }),
  explain: { held: () => null, notHeld: () => 'what it excludes holds' },
  phrase: (written, nested) => `not ${nested(written)}`,
  nested: (written: NestedIf) => [written],
});
