import { expect, test } from 'vitest';
import { firstDifference } from '../crowd/compared.ts';
import { randomCrowd } from '../crowd/oracle/histories.ts';
import { inFuture, practicedTeller } from '../crowd/practiced.ts';

/** So many take 15 to 45 seconds, by how busy the machine is. `HISTORIES=100 FIRST_HISTORY=2` compares more, from this seed on. */
const HISTORIES_BY_DEFAULT = 2;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);
const FIRST = Number(process.env.FIRST_HISTORY ?? 0);

test.each(Array.from({ length: HISTORIES }, (_, index) => FIRST + index))(
  'in the random history of many players with seed %i, a process with the practice clock grants exactly what a recomputation from the specification grants',
  async (seed) => {
    const history = inFuture(randomCrowd(seed));
    expect(await firstDifference(history, practicedTeller)).toEqual([]);
  },
);
