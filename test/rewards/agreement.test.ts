import { expect, test } from 'vitest';
import { offered, recomputed, recorded } from './agreement.ts';
import { randomHistory } from './oracle/histories.ts';

const SEEDS = Number(process.env.HISTORIES ?? 60);

test('in random histories the ledger grants exactly what a recomputation from the specification grants', async () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const history = offered(randomHistory(seed));
    expect(await recorded(history, seed), `seed ${seed}`).toEqual(recomputed(history, seed));
  }
}, 600_000);
