import { expect, test } from 'vitest';
import { DrivenTeller } from './driven.ts';
import { recomputeCrowd } from './oracle/crowd.ts';
import { type Features, randomCrowd } from './oracle/histories.ts';

/** So many take about 8 seconds. */
const HISTORIES_BY_DEFAULT = 3;
const HISTORIES = Number(process.env.HISTORIES ?? HISTORIES_BY_DEFAULT);
/** The seed of the first one. */
const FIRST = Number(process.env.FIRST_HISTORY ?? 0);
const FEATURES: Features = { players: false, parties: false, tops: false };

test(
  'in random histories of many players, a Teller with the practice clock grants exactly what a recomputation from the specification grants',
  async () => {
    for (let seed = FIRST; seed < FIRST + HISTORIES; seed++) {
      const history = randomCrowd(seed, FEATURES);
      const teller = await DrivenTeller.start(history);
      for (const [index, { event, before, after }] of recomputeCrowd(history).entries()) {
        await teller.passTo(event.at);
        const passed = await teller.settle(before);
        await teller.apply(event);
        expect({ passed, seen: await teller.settle(after) }, `seed ${seed}, event ${index}`).toEqual({
          passed: before,
          seen: after,
        });
      }
      await teller.stop();
    }
  },
  10_000 * HISTORIES,
);
