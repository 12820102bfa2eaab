import { expect, test } from 'vitest';
import { firstDifference } from './compared.ts';
import { drivenTeller } from './driven.ts';
import { crowdCases } from './oracle/cases.ts';
import { recomputeCrowd } from './oracle/crowd.ts';
import { randomCrowd } from './oracle/histories.ts';

/** So many take 4 to 20 seconds, by how busy the machine is. `HISTORIES=100 FIRST_HISTORY=2` compares more, from this seed on. */
const HISTORIES_BY_DEFAULT = 2;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);
const FIRST = Number(process.env.FIRST_HISTORY ?? 0);

test(
  'in random histories of many players, a Teller grants exactly what a recomputation from the specification grants',
  async () => {
    const differences: string[] = [];
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      const difference = await firstDifference(randomCrowd(seed), drivenTeller);
      if (difference.length > 0) differences.push(`seed ${seed}`, ...difference);
    }
    expect(differences).toEqual([]);
  },
  60_000 * HISTORIES,
);

test.each(crowdCases)('as worked out by hand, with a running Teller: $name', async ({ history, grants }) => {
  expect(recomputeCrowd(history).at(-1)!.after.grants).toEqual(grants.toSorted());
  expect(await firstDifference(history, drivenTeller)).toEqual([]);
});
