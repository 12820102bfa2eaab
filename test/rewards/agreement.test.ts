import { expect, test } from 'vitest';
import { recomputed, recorded } from './agreement.ts';
import { randomHistory } from './oracle/histories.ts';
import { literalCases } from './oracle/literal.ts';

/** So many take about 15 seconds. */
const HISTORIES_BY_DEFAULT = 25;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);

test(
  'in random histories the ledger grants exactly what a recomputation from the specification grants (rule 14)',
  async () => {
    for (let seed = 0; seed < HISTORIES; seed++) {
      const history = randomHistory(seed);
      expect(await recorded(history, seed), `seed ${seed}`).toEqual(recomputed(history, seed));
    }
  },
  2_000 * HISTORIES,
);

test.each(literalCases)('the ledger grants the same where $name', async ({ history, steps }) => {
  const whole = { ...history, events: steps.map(({ event }) => event) };
  expect(await recorded(whole, 7)).toEqual(recomputed(whole, 7));
});
